/* SPDX-License-Identifier: MIT */
/* What an engine's main calls. */
#ifndef CHECKER_ENGINE_H
#define CHECKER_ENGINE_H

int engine_litmus(int argc, char **argv);

#endif /* CHECKER_ENGINE_H */
