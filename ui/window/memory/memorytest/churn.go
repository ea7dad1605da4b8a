//go:build linux && cgo

package memorytest

/*
#include <stdlib.h>
#include <string.h>

enum { blocks = 128, block = 64 * 1024 };

static void easel_frame(void) {
	void *kept[blocks];
	for (int i = 0; i < blocks; i++) {
		kept[i] = malloc(block);
		if (kept[i]) memset(kept[i], i + 1, block);
	}
	for (int i = 0; i < blocks; i++) free(kept[i]);
}
*/
import "C"

// FrameBytes is the memory that Frame uses.
const FrameBytes = int(C.blocks) * int(C.block)

// Frame allocates memory, writes to it and frees it, as Mesa's software renderer does for
// each frame.
func Frame() { C.easel_frame() }
