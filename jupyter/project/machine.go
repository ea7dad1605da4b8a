package project

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"runtime"
	"slices"
)

// wrongMachine returns why a program cannot run on this machine, or the zero Reason. Files of
// other forms, such as scripts, are taken to run.
func wrongMachine(path string) Reason {
	system, machines := builtFor(path)
	switch {
	case system == "":
		return Reason{}
	case system != runtime.GOOS && (system != "linux" || runtime.GOOS == "windows" || runtime.GOOS == "darwin"):
		return Reason{"system_for", systems[system]}
	}
	if slices.ContainsFunc(machines, runsHere) || len(machines) == 0 {
		return Reason{}
	}
	return Reason{"processor", machines[0] + ", not " + runtime.GOARCH}
}

var systems = map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}

// runsHere reports whether this machine runs programs for a processor.
func runsHere(machine string) bool {
	switch {
	case machine == runtime.GOARCH:
		return true
	case runtime.GOARCH == "amd64":
		return machine == "386"
	case runtime.GOARCH == "arm64" && runtime.GOOS != "linux":
		return machine == "amd64" // macOS and Windows translate
	}
	return false
}

// builtFor returns the system and the processors that a program was built for. machines is
// empty for processors that Go has no name for.
func builtFor(path string) (system string, machines []string) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close() //nolint:errcheck // only read
		names := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm"}
		if name, ok := names[f.Machine]; ok {
			machines = []string{name}
		}
		return "linux", machines
	}
	if f, err := pe.Open(path); err == nil {
		defer f.Close() //nolint:errcheck // only read
		names := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_I386: "386"}
		if name, ok := names[f.Machine]; ok {
			machines = []string{name}
		}
		return "windows", machines
	}
	names := map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64", macho.Cpu386: "386"}
	if f, err := macho.OpenFat(path); err == nil {
		defer f.Close() //nolint:errcheck // only read
		for _, a := range f.Arches {
			machines = append(machines, names[a.Cpu])
		}
		return "darwin", machines
	}
	if f, err := macho.Open(path); err == nil {
		defer f.Close() //nolint:errcheck // only read
		return "darwin", []string{names[f.Cpu]}
	}
	return "", nil
}
