// Preloaded into a Node.js, it does what a hostile process can do to a profiler that reads it: tens of thousands of
// mappings, ELF files that lie, threads that come and go and have names with escape sequences.
//
//   HOSTILE_DIR   a folder for the files
//   HOSTILE_SEED  a number

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define PAIRS 30000  // of mappings: the kernel allows a process 65,530
#define LIARS 32

static unsigned seed;
static void (*loop)(void);

static void map_many(void)
{
	char *base = mmap(NULL, 2 * PAIRS * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (unsigned long i = 0; base != MAP_FAILED && i < PAIRS; i++)
		mprotect(base + 2 * i * PAGE, PAGE, PROT_READ);
}

static int create(const char *name, int n)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s-%d-%d", getenv("HOSTILE_DIR"), name, getpid(), n);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	unlink(path);
	return fd;
}

// An ELF file of a terabyte that has next to nothing in it, but says so of everything. Its code is a loop.
static void map_sparse(void)
{
	static const unsigned char code[] = {0xb9, 0xa0, 0x86, 0x01, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
	Elf64_Ehdr h = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(h),
		.e_phoff = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3,
		.e_shoff = 1UL << 39, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 0xfeff, .e_shstrndx = 1,
	};
	Elf64_Phdr p[] = {
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 1UL << 40, .p_memsz = 1UL << 40, .p_align = PAGE},
		{.p_type = PT_GNU_EH_FRAME, .p_flags = PF_R, .p_offset = 1UL << 38, .p_vaddr = 1UL << 38,
		 .p_filesz = 1UL << 38, .p_memsz = 1UL << 38},
		{.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = 1UL << 37, .p_filesz = 1UL << 37, .p_memsz = 1UL << 37},
	};
	int fd = create("sparse", 0);

	if (fd < 0 || ftruncate(fd, 1L << 40) || pwrite(fd, &h, sizeof(h), 0) < 0 ||
	    pwrite(fd, p, sizeof(p), sizeof(h)) < 0 || pwrite(fd, code, sizeof(code), 2048) < 0)
		return;
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED)
		loop = (void (*)(void))(at + 2048);
}

// An ELF file of a terabyte that says that most of it are the names of its sections.
static void map_names(void)
{
	Elf64_Ehdr h = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(h),
		.e_shoff = sizeof(h), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 2, .e_shstrndx = 1,
	};
	Elf64_Shdr s[] = {{}, {.sh_type = SHT_STRTAB, .sh_offset = PAGE, .sh_size = (1UL << 40) - PAGE}};
	int fd = create("names", 0);

	if (fd >= 0 && !ftruncate(fd, 1L << 40) && pwrite(fd, &h, sizeof(h), 0) > 0 &&
	    pwrite(fd, s, sizeof(s), sizeof(h)) > 0)
		mmap(NULL, 64UL << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0); // as much as V8 has
}

// Copies of this library with bytes that are wrong.
static void map_liars(const char *self)
{
	static unsigned char bytes[1 << 16];
	int in = open(self, O_RDONLY);
	long n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));

	for (int i = 0; n > 64 && i < LIARS; i++) {
		int fd = create("liar", i);
		unsigned char was[16];
		long at[16];

		for (int k = 0; k < 16; k++) {
			at[k] = 8 + rand_r(&seed) % (k < 4 ? 512 : n - 8);
			was[k] = bytes[at[k]];
			bytes[at[k]] = rand_r(&seed);
		}
		if (fd >= 0 && write(fd, bytes, n) == n)
			mmap(NULL, n, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		for (int k = 15; k >= 0; k--)
			bytes[at[k]] = was[k];
	}
}

static void *brief(void *)
{
	prctl(PR_SET_NAME, "\033[31m\rred\n\007");
	for (int i = rand_r(&seed) % 16; i > 0; i--)
		if (loop)
			loop();
	return NULL;
}

static void *threads(void *)
{
	for (;;) {
		pthread_t t;

		if (!pthread_create(&t, NULL, brief, NULL))
			pthread_detach(t);
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t t;

	if (!getenv("HOSTILE_DIR"))
		return;
	seed = atoi(getenv("HOSTILE_SEED")) + getpid();
	map_sparse();
	map_names();
	map_liars(getenv("LD_PRELOAD"));
	map_many();
	pthread_create(&t, NULL, threads, NULL);
}
