// A growing array of bytes, and the parts of the Protocol Buffers encoding that a process context needs.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace hotspan {

struct Slice {
	const uint8_t *data = nullptr;
	size_t size = 0;

	bool Is(const char *text) const { return size == strlen(text) && !memcmp(data, text, size); }
	bool Begins(const char *text) const { return size >= strlen(text) && !memcmp(data, text, strlen(text)); }
};

struct Bytes {
	uint8_t *data = nullptr;
	size_t size = 0, room = 0;

	Bytes() = default;
	Bytes(const Bytes &) = delete;
	~Bytes() { free(data); }

	void Add(const void *from, size_t n)
	{
		if (!n)
			return;
		if (size + n > room) {
			room = 2 * (size + n);
			data = static_cast<uint8_t *>(realloc(data, room));
			if (!data)
				abort();
		}
		memcpy(data + size, from, n);
		size += n;
	}
	void Add(Slice s) { Add(s.data, s.size); }
	void AddVarint(uint64_t n)
	{
		for (; n > 127; n >>= 7)
			AddByte(static_cast<uint8_t>(n | 128));
		AddByte(static_cast<uint8_t>(n));
	}
	void AddByte(uint8_t b) { Add(&b, 1); }
	// A field of bytes, text or an inner message.
	void AddField(int number, Slice s)
	{
		AddVarint(number << 3 | 2);
		AddVarint(s.size);
		Add(s);
	}
	void AddField(int number, const char *text)
	{
		AddField(number, Slice{reinterpret_cast<const uint8_t *>(text), strlen(text)});
	}
	Slice All() const { return Slice{data, size}; }
};

// Reads the fields of a message one after the other.
struct Fields {
	Slice rest;
	int number = 0;
	Slice whole;  // of the field, with its number
	Slice inner;  // of a field of bytes; else empty

	explicit Fields(Slice message) : rest(message) {}

	// Whether there is one more field. Ends at bytes that are no message.
	bool Next()
	{
		const uint8_t *start = rest.data;
		uint64_t tag, length = 0;
		inner = Slice{};
		if (!rest.size || !Varint(&tag))
			return false;
		number = static_cast<int>(tag >> 3);
		switch (tag & 7) {
		case 0:
			if (!Varint(&length))
				return false;
			break;
		case 1:
			if (!Skip(8))
				return false;
			break;
		case 2:
			if (!Varint(&length) || length > rest.size)
				return false;
			inner = Slice{rest.data, static_cast<size_t>(length)};
			Skip(length);
			break;
		case 5:
			if (!Skip(4))
				return false;
			break;
		default:
			return false;
		}
		whole = Slice{start, static_cast<size_t>(rest.data - start)};
		return true;
	}

private:
	bool Skip(size_t n)
	{
		if (n > rest.size)
			return false;
		rest = Slice{rest.data + n, rest.size - n};
		return true;
	}
	bool Varint(uint64_t *n)
	{
		*n = 0;
		for (int shift = 0; shift < 64 && rest.size; shift += 7) {
			uint8_t b = *rest.data;
			Skip(1);
			*n |= static_cast<uint64_t>(b & 127) << shift;
			if (b < 128)
				return true;
		}
		return false;
	}
};

} // namespace hotspan
