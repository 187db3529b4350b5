// SPDX-License-Identifier: 0BSD
//
// A kernel in C++17: spaces and gathers end with their scope. ktlb itself stays C.
#include <machine.h>

class Space
{
      public:
	explicit Space(struct tables &tables)
	{
		ktlb_space_init(&space, tables_init(&tables));
	}
	~Space()
	{
		ktlb_space_destroy(&space);
	}
	Space(const Space &) = delete;
	Space &operator=(const Space &) = delete;

	void run()
	{
		ktlb_switch(&space);
	}
	struct ktlb_space *get()
	{
		return &space;
	}

      private:
	struct ktlb_space space = {};
};

// Changes of a space; when it ends, they are flushed and what they unmapped is free.
class Changes
{
      public:
	explicit Changes(Space &space)
	{
		ktlb_gather_begin(&gather, space.get());
	}
	~Changes()
	{
		for (auto *page = ktlb_gather_flush(&gather); page; page = page->next)
			freed++;
	}
	Changes(const Changes &) = delete;
	Changes &operator=(const Changes &) = delete;

	void unmap(struct tables &tables, struct ktlb_gather_page &page)
	{
		ktlb_store_relaxed(tables_entry(&tables), invalid);
		ktlb_gather_add(&gather, USER_VA, 4096, 4096);
		ktlb_gather_keep(&gather, &page);
	}

	static inline unsigned freed;

      private:
	static constexpr uint64_t invalid = 0;
	struct ktlb_gather gather;
};

static struct tables table;
static const struct frame pages[2] = {{{11}}, {{22}}};
static struct ktlb_gather_page page;

extern "C" void kernel_main()
{
	port_start(1, 0);
	port_start_cpu(0);
	{
		Space space(table);

		map(&table, &pages[0]);
		space.run();
		expect(look(), 11, "the first page is not there");
		{
			Changes changes(space);

			changes.unmap(table, page);
			expect(Changes::freed, 0, "a page is free before its flush");
		}
		expect(Changes::freed, 1, "a page has been lost");
		map(&table, &pages[1]);
		expect(look(), 22, "the old page is still there after its flush");
		ktlb_enter_lazy();
	}
	machine_print("raii: ok\n");
	machine_exit(0);
}

extern "C" void kernel_cpu_1()
{
	machine_exit(1); // nobody has started it
}
