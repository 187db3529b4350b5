/* SPDX-License-Identifier: MIT */
/*
 * ktlb-check: the command line.
 *
 * Exit 0: clean. 1: a violation, a survivor, a race that was never reached. 2: a command line or a
 * tree that it cannot work with, told in one line on standard error.
 */
#include "front.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const strategy_name[STRATEGIES] = {"random", "pct", "exhaustive"};
const char *const memory_name[MEMORIES] = {"sc", "tso", "weak", "weak-c11"};

static const char help[] =
	"ktlb-check: hunts stale translations in ktlb on a simulated machine\n"
	"\n"
	"  ktlb-check list                 scenarios and engines\n"
	"  ktlb-check run                  every scenario, architecture, option set, memory model\n"
	"  ktlb-check merge FILE...        adds up what shards of a run wrote with --json\n"
	"  ktlb-check replay TOKEN         shows the run that a violation named\n"
	"  ktlb-check mutants [NAME...]    hunts every mutation of the library: each must be found\n"
	"  ktlb-check litmus               memory-model and translation litmus tests\n"
	"\n"
	"run; lists are separated by commas, and what is not given means all:\n"
	"  --scenario LIST  --arch LIST  --options LIST  --memory LIST (sc, tso, weak, weak-c11)\n"
	"  --strategy random|pct|exhaustive      --preemptions K, --oddities M bound the last (2, 2)\n"
	"  --runs N    for each of them (2000)   --seconds T   for all of them together\n"
	"  --seed S    (1)                       --shard I/N   the I-th of N parts of the run numbers\n"
	"  --mutate M  the library with mutation M instead of the shipped one\n"
	"  --quick     1000 runs, default options alone; mutants: where their headers say, one seed\n"
	"mutants:\n"
	"  --runs N    the most that a hunt takes in one scenario and model (3000)\n"
	"replay:\n"
	"  --trace FILE   also as Chrome and Perfetto trace\n"
	"all:\n"
	"  --json FILE  --jobs J (all cores)  --verbose  --engines DIR (check/ beside this program)\n"
	"\n"
	"exit: 0 clean, 1 violation, 2 usage\n";

void usage(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fputs("ktlb-check: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(EXIT_USAGE);
}

void *allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		usage("out of memory");
	return memory;
}

char *copy_of(const char *text)
{
	char *copy = allocate(strlen(text) + 1);

	return strcpy(copy, text);
}

char *text_of(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(0, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		usage("cannot format a text");
	text = allocate((size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

int list_has(const struct list *list, const char *name)
{
	if (list->count == 0)
		return 1;
	for (unsigned i = 0; i < list->count; i++)
		if (strcmp(list->item[i], name) == 0)
			return 1;
	return 0;
}

static void list_add(struct list *list, const char *option, const char *text)
{
	char *copy = copy_of(text), *next;

	for (char *item = copy; item; item = next) {
		next = strchr(item, ',');
		if (next)
			*next++ = 0;
		if (!*item)
			usage("--%s: an empty name in \"%s\"", option, text);
		if (list->count == LIST_MAX)
			usage("--%s: more than %d names", option, LIST_MAX);
		list->item[list->count++] = item;
	}
}

static uint64_t number_of(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || value < least || value > most)
		usage("--%s: \"%s\" is not a number from %llu to %llu", option, text,
		      (unsigned long long)least, (unsigned long long)most);
	return value;
}

static double seconds_of(const char *option, const char *text)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (errno || (*text != '.' && (*text < '0' || *text > '9')) || *end || !(value > 0) ||
	    value > 1e8)
		usage("--%s: \"%s\" is not a number of seconds", option, text);
	return value;
}

static void shard_of(struct settings *settings, const char *text)
{
	unsigned shard, shards;
	int length = 0;

	if (sscanf(text, "%6u/%6u%n", &shard, &shards, &length) != 2 || text[length] ||
	    strpbrk(text, "+- ") || shard < 1 || shard > shards)
		usage("--shard: \"%s\" is not I/N with I from 1 to N", text);
	settings->shard = shard;
	settings->shards = shards;
}

static unsigned name_of(const char *option, const char *text, const char *const name[],
                        unsigned names)
{
	for (unsigned i = 0; i < names; i++)
		if (strcmp(text, name[i]) == 0)
			return i;
	usage("--%s: nothing is called \"%s\"", option, text);
}

static void check_memories(const struct list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		name_of("memory", list->item[i], memory_name, MEMORIES);
}

/* ---- which command takes which option ---------------------------------------------------------*/

struct command_entry {
	const char *name, *options; /* letters as below */
	int (*function)(const struct settings *settings);
	int arguments; /* how many it takes; -1: any number, -2: one or more */
};

static const struct command_entry commands[] = {
	{"list", "aoeJ", command_list, 0},
	{"run", "aosmyrtSjhpdMJqve", command_run, 0},
	{"merge", "Jv", command_merge, -2},
	{"replay", "Te", command_replay, 1},
	{"mutants", "aorjpdJqve", command_mutants, -1},
	{"litmus", "arSjJve", command_litmus, 0},
};

static const struct option options[] = {
	{"arch", required_argument, 0, 'a'},
	{"options", required_argument, 0, 'o'},
	{"scenario", required_argument, 0, 's'},
	{"memory", required_argument, 0, 'm'},
	{"strategy", required_argument, 0, 'y'},
	{"runs", required_argument, 0, 'r'},
	{"seconds", required_argument, 0, 't'},
	{"seed", required_argument, 0, 'S'},
	{"jobs", required_argument, 0, 'j'},
	{"shard", required_argument, 0, 'h'},
	{"preemptions", required_argument, 0, 'p'},
	{"oddities", required_argument, 0, 'd'},
	{"mutate", required_argument, 0, 'M'},
	{"json", required_argument, 0, 'J'},
	{"trace", required_argument, 0, 'T'},
	{"quick", no_argument, 0, 'q'},
	{"verbose", no_argument, 0, 'v'},
	{"engines", required_argument, 0, 'e'},
	{"help", no_argument, 0, '?'},
	{0, 0, 0, 0},
};

static void take_option(struct settings *settings, const struct option *option)
{
	const char *name = option->name;

	switch (option->val) {
	case 'a':
		list_add(&settings->arch, name, optarg);
		break;
	case 'o':
		list_add(&settings->options, name, optarg);
		break;
	case 's':
		list_add(&settings->scenario, name, optarg);
		break;
	case 'm':
		list_add(&settings->memory, name, optarg);
		break;
	case 'y':
		settings->strategy = (enum strategy)name_of(name, optarg, strategy_name,
		                                            STRATEGIES);
		break;
	case 'r':
		settings->runs = number_of(name, optarg, 1, (uint64_t)1 << 40);
		break;
	case 't':
		settings->seconds = seconds_of(name, optarg);
		break;
	case 'S':
		settings->seed = number_of(name, optarg, 0, UINT64_MAX);
		break;
	case 'j':
		settings->jobs = (unsigned)number_of(name, optarg, 1, 1024);
		break;
	case 'h':
		shard_of(settings, optarg);
		break;
	case 'p':
		settings->preemptions = (unsigned)number_of(name, optarg, 0, 100);
		break;
	case 'd':
		settings->oddities = (unsigned)number_of(name, optarg, 0, 100);
		break;
	case 'M':
		settings->mutation = optarg;
		break;
	case 'J':
		settings->json = optarg;
		break;
	case 'T':
		settings->trace = optarg;
		break;
	case 'q':
		settings->quick = 1;
		break;
	case 'v':
		settings->verbose = 1;
		break;
	case 'e':
		settings->directory = optarg;
		break;
	}
}

static const struct command_entry *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	usage("\"%s\" is no command (list, run, merge, replay, mutants, litmus; --help tells more)",
	      name);
}

static void check_arguments(const struct command_entry *command, const struct settings *settings)
{
	int count = settings->arguments;

	if (command->arguments >= 0 && count > command->arguments)
		usage("%s: \"%s\" is too much", command->name,
		      settings->argument[command->arguments]);
	if (count < command->arguments || (command->arguments == -2 && count < 1))
		usage("%s: something is missing (--help tells what)", command->name);
	if (settings->runs && settings->seconds > 0)
		usage("%s: --runs or --seconds, not both", command->name);
	check_memories(&settings->memory);
	output_try(settings->json);
}

/* Beside this program, if it was called by a path. */
static const char *default_directory(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash ? text_of("%.*s/check", (int)(slash - program), program) : "build/check";
}

int main(int argc, char **argv)
{
	struct settings settings = {
		.seed = 1, .shard = 1, .shards = 1, .preemptions = 2, .oddities = 2};
	const struct command_entry *command;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int letter, index = 0;

	if (argc < 2)
		usage("no command (list, run, merge, replay, mutants, litmus; --help tells more)");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(help, stdout);
		return EXIT_CLEAN;
	}
	command = find_command(argv[1]);
	settings.jobs = cores > 0 ? (unsigned)cores : 1;
	settings.directory = default_directory(argv[0]);

	opterr = 0;
	optind = 2;
	while ((letter = getopt_long(argc, argv, ":", options, &index)) != -1) {
		if (letter == ':')
			usage("%s needs a value", argv[optind - 1]);
		if (letter == '?' && strcmp(argv[optind - 1], "--help") != 0)
			usage("%s: no such option, or not a clear one", argv[optind - 1]);
		if (letter == '?') {
			fputs(help, stdout);
			return EXIT_CLEAN;
		}
		if (!strchr(command->options, letter))
			usage("%s does not take --%s", command->name, options[index].name);
		take_option(&settings, &options[index]);
	}
	settings.argument = argv + optind;
	settings.arguments = argc - optind;
	check_arguments(command, &settings);
	return command->function(&settings);
}
