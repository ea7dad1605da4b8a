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

// Segments that nobody may write to are copies of a file, which stays in the system's
// page cache. Segments with relocations are marked writable here, whatever their
// protection is later.
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

// With a fixed threshold, each large block is a mapping of its own, which returns to
// the system when it is freed. Without one, glibc raises the threshold with each freed
// block, up to 32 MB. What is freed at the end of the heap returns to the system if it is
// more than 16 MB: a frame of the software renderer takes 5 to 8 MB in small blocks and
// frees them, and memory that comes back costs a page fault for each 4 kB. What is kept
// here returns when the window rests; see Return.
static void easel_tune(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 16 * 1024 * 1024);
	mallopt(M_ARENA_MAX, 2);
#endif
}
*/
import "C"

// trim returns the free memory of C's allocator. It also releases the pages of programs
// and libraries, most of which are used only at the start. Pages that are used again
// are read from the system's page cache.
func trim() {
	C.easel_trim()
	C.easel_unmap()
}

// tune limits the memory that C's allocator keeps. Call it before C code allocates
// much, as OpenGL's threads do.
func tune() { C.easel_tune() }
