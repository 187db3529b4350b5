/* SPDX-License-Identifier: MIT */
/* What every unit test includes, in the order that cmocka wants. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

#endif /* UNIT_H */
