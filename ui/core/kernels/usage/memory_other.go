//go:build !linux

package usage

// memoryOf returns the memory of the processes of a kernel. What they share counts several times.
func memoryOf(tree []process) (sum int64) {
	for _, p := range tree {
		sum += p.memory
	}
	return sum
}
