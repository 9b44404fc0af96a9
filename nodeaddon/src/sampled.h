// What samples of this process have shown while the agent takes a profile of it: the records, by address. The agent's
// BPF program writes them into memory that the agent shares, in the instant of the sample. So a context can be kept
// before it is collected if a sample has it, and no other need be.

#pragma once

#include <stdint.h>

#include "list.h"

namespace hotspan {

// Asks the agent for what it shares with a session, and does not wait. Returns a connection, or an errno less than 0.
int AskForSampled(const char *socket, const char *session);

// The memory that the agent shares.
class Sampled {
public:
	Sampled() = default;
	Sampled(const Sampled &) = delete;
	~Sampled();

	// Maps what has come by a connection, which it closes. False if nothing has come, or something else.
	bool Receive(int connection);

	// Whether so much is unread that some of it may soon be overwritten.
	bool IsBehind() const;

	// Adds the addresses of the records in samples since the last call. They may repeat.
	void Read(List<uint64_t> *addresses);

private:
	struct Entry {
		uint64_t number; // of the sample, from 1 on; 0 = it is being written. First entry: of the last sample
		uint64_t record;
	};

	bool Map(int file);
	// Has a sample's address, or says why not.
	enum Found { kFound, kLate, kGone };
	Found Get(uint64_t number, uint64_t *record) const;

	Entry *entries = nullptr;
	uint64_t count = 0; // of entries behind the first, a power of two
	uint64_t last = 0;  // sample that was read
	List<uint64_t> late; // before it, which were being written
};

} // namespace hotspan
