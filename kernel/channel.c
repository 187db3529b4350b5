/* SPDX-License-Identifier: MIT */
/*
 * Channels: messages of one size, a bounded queue, waiting at both ends. A message is in registers
 * on its way into and out of the kernel, so no user memory is involved.
 */
#include <arch.h>

#define CHANNEL_LENGTH 16 /* messages; a sender that is ahead by more waits */

struct channel {
	struct spinlock lock; /* guards the rest */
	uint32_t in_use;
	uint32_t first, count;
	struct waitq senders, receivers;
	struct message ring[CHANNEL_LENGTH];
};

static struct channel channels[MAX_CHANNELS];

int channel_create(void)
{
	for (int i = 0; i < MAX_CHANNELS; i++) {
		struct channel *channel = &channels[i];
		uint64_t irq = spin_lock(&channel->lock);
		int taken = channel->in_use;

		channel->in_use = 1;
		spin_unlock(&channel->lock, irq);
		if (!taken)
			return i;
	}
	return -1;
}

/* Who still waits there gets an error. */
void channel_destroy(uint32_t number)
{
	struct channel *channel = &channels[number];
	uint64_t irq = spin_lock(&channel->lock);

	channel->in_use = channel->count = 0;
	wake_all(&channel->senders);
	wake_all(&channel->receivers);
	spin_unlock(&channel->lock, irq);
}

/* A thread that was woken for a message but has to die hands the wake-up on. */
static int give_up(struct channel *channel, struct waitq *queue)
{
	if (channel->in_use && !thread_must_die())
		return 0;
	wake_one(queue);
	return 1;
}

int channel_send(uint32_t number, const struct message *message)
{
	struct channel *channel = &channels[number];
	uint64_t irq;
	int error = -1;

	if (number >= MAX_CHANNELS)
		return -1;
	irq = spin_lock(&channel->lock);
	while (channel->count == CHANNEL_LENGTH && !give_up(channel, &channel->senders))
		wait_on(&channel->senders, &channel->lock);
	if (channel->in_use && channel->count < CHANNEL_LENGTH) {
		channel->ring[(channel->first + channel->count++) % CHANNEL_LENGTH] = *message;
		wake_one(&channel->receivers);
		error = 0;
	}
	spin_unlock(&channel->lock, irq);
	return error;
}

int channel_receive(uint32_t number, struct message *message)
{
	struct channel *channel = &channels[number];
	uint64_t irq;
	int error = -1;

	if (number >= MAX_CHANNELS)
		return -1;
	irq = spin_lock(&channel->lock);
	while (!channel->count && !give_up(channel, &channel->receivers))
		wait_on(&channel->receivers, &channel->lock);
	if (channel->count) {
		*message = channel->ring[channel->first];
		channel->first = (channel->first + 1) % CHANNEL_LENGTH;
		channel->count--;
		wake_one(&channel->senders);
		error = 0;
	}
	spin_unlock(&channel->lock, irq);
	return error;
}

/* ---- the messaging load -----------------------------------------------------------------------*/

int run_messages(uint32_t groups, uint32_t loops)
{
	static int channel[MAX_CHANNELS], process[MAX_PROCESSES];
	uint32_t processes = 0, used = groups * GROUP_RECEIVERS;
	int error = 0;

	if (used > MAX_CHANNELS || groups * (GROUP_SENDERS + GROUP_RECEIVERS) > MAX_PROCESSES)
		return -1;
	for (uint32_t i = 0; i < used; i++) {
		channel[i] = channel_create();
		/* A sender is told the first one only. */
		ASSERT(channel[i] >= 0 && channel[i] == channel[0] + (int)i);
	}
	for (uint32_t i = 0; i < used; i++)
		process[processes++] = process_spawn(PROGRAM_RECEIVER,
		                                     (uint64_t)channel[i] | (uint64_t)loops << 32);
	for (uint32_t i = 0; i < groups * GROUP_SENDERS; i++) {
		uint64_t first = (uint64_t)channel[i / GROUP_SENDERS * GROUP_RECEIVERS];

		process[processes++] = process_spawn(PROGRAM_SENDER,
		                                     first | (uint64_t)(i % GROUP_SENDERS) << 16 |
		                                             (uint64_t)loops << 32);
	}
	for (uint32_t i = 0; i < processes; i++)
		if (process[i] < 0 || process_wait((uint32_t)process[i]))
			error = -1;
	for (uint32_t i = 0; i < used; i++)
		channel_destroy((uint32_t)channel[i]);
	return error;
}
