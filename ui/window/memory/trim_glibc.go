//go:build linux && cgo

package memory

/*
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void easel_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

// What a file is loaded with and nobody may write to is in the file, and stays in the
// system's cache. Segments that are relocated are writable here, whatever they become.
static int easel_unmap_object(struct dl_phdr_info *o, size_t size, void *data) {
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || (p->p_flags & PF_W)) continue;
		uintptr_t from = (o->dlpi_addr + p->p_vaddr + page - 1) & ~(page - 1);
		uintptr_t to = (o->dlpi_addr + p->p_vaddr + p->p_filesz) & ~(page - 1);
		if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 0;
}

static void easel_unmap(void) { dl_iterate_phdr(easel_unmap_object, NULL); }

// A large block is a mapping of its own, so that the system has it back when it is freed.
// glibc raises the bound with each that is freed, up to 32 MB; a bound that is set stays.
static void easel_tune(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
	mallopt(M_ARENA_MAX, 2);
#endif
}
*/
import "C"

// trim returns what C's allocator has free, and lets go of the pages of programs and
// libraries that have been used: mostly at the start, and only then. Those that are
// used again are there again at once, from the system's cache.
func trim() {
	C.easel_trim()
	C.easel_unmap()
}

// Tune has C's allocator keep little. Call it before anything of C allocates much:
// OpenGL's threads do.
func Tune() { C.easel_tune() }
