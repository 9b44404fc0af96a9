#include "sampled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace hotspan {
namespace {

const uint64_t kMostEntries = 1 << 20;

// A field of a file in /proc/self/fdinfo, 0 if there is none.
uint64_t Field(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	unsigned long long value = 0;
	return at && sscanf(at + strlen(name), " %llu", &value) == 1 ? value : 0;
}

// The entries of an array map, 0 if a file is no such map: only one of the kernel cannot be truncated under a reader.
uint64_t MapEntries(int file, size_t size)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file);
	int info = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = info < 0 ? -1 : read(info, text, sizeof(text) - 1);
	if (info >= 0)
		close(info);
	if (n < 0)
		return 0;
	text[n] = 0;
	const uint64_t kArray = 2; // BPF_MAP_TYPE_ARRAY
	if (Field(text, "map_type:") != kArray || Field(text, "value_size:") != size)
		return 0;
	return Field(text, "max_entries:");
}

// The file that came by a connection, -1 for none.
int ReceiveFile(int connection)
{
	char byte;
	iovec data = {&byte, 1};
	alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	msghdr message = {};
	message.msg_iov = &data;
	message.msg_iovlen = 1;
	message.msg_control = space;
	message.msg_controllen = sizeof(space);
	if (recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -1;
	cmsghdr *head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	int file;
	memcpy(&file, CMSG_DATA(head), sizeof(file));
	return file;
}

} // namespace

int AskForSampled(const char *socket, const char *session)
{
	sockaddr_un address = {};
	address.sun_family = AF_UNIX;
	char request[256];
	int n = snprintf(request, sizeof(request), "GET /session/%s HTTP/1.1\r\nHost: agent\r\n\r\n", session);
	if (strlen(socket) >= sizeof(address.sun_path) || n >= static_cast<int>(sizeof(request)))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, socket);
	int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) ||
	    send(fd, request, n, MSG_NOSIGNAL) != n) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

Sampled::~Sampled()
{
	if (entries)
		munmap(entries, (count + 1) * sizeof(Entry));
}

bool Sampled::Receive(int connection)
{
	int file = ReceiveFile(connection);
	close(connection);
	if (file < 0)
		return false;
	bool mapped = Map(file);
	close(file);
	return mapped;
}

bool Sampled::Map(int file)
{
	uint64_t n = MapEntries(file, sizeof(Entry)) - 1;
	if (n == 0 || n > kMostEntries || (n & (n - 1)))
		return false;
	void *memory = mmap(nullptr, (n + 1) * sizeof(Entry), PROT_READ, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED)
		return false;
	entries = static_cast<Entry *>(memory);
	count = n;
	return true;
}

bool Sampled::IsBehind() const { return __atomic_load_n(&entries->number, __ATOMIC_RELAXED) - last > count / 2; }

Sampled::Found Sampled::Get(uint64_t number, uint64_t *record) const
{
	const Entry *e = &entries[1 + (number & (count - 1))];
	uint64_t before = __atomic_load_n(&e->number, __ATOMIC_ACQUIRE);
	*record = __atomic_load_n(&e->record, __ATOMIC_ACQUIRE);
	uint64_t after = __atomic_load_n(&e->number, __ATOMIC_RELAXED);
	if (before == number && after == number)
		return kFound;
	return before > number || after > number ? kGone : kLate;
}

void Sampled::Read(List<uint64_t> *addresses)
{
	uint64_t end = __atomic_load_n(&entries->number, __ATOMIC_ACQUIRE), record;
	uint64_t first = end - last > count ? end - count : last; // what is before was overwritten
	List<uint64_t> again;
	auto get = [&](uint64_t number) {
		Found found = Get(number, &record);
		if (found == kFound)
			addresses->Add(record);
		else if (found == kLate && number + count > end)
			again.Add(number); // another thread's sample: that thread has the context still
	};
	for (uint64_t number : late)
		get(number);
	for (uint64_t number = first + 1; number <= end; number++)
		get(number);
	late.Swap(&again);
	last = end;
}

} // namespace hotspan
