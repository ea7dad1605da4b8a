package sidebar

import (
	"strconv"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// usage says briefly what a kernel uses: a processor only while it works.
func usage(u state.Usage) string {
	cpu := ""
	if u.CPU > 0 {
		cpu = strconv.Itoa(u.CPU) + "%"
	}
	return join(cpu, i18n.Bytes(u.Memory))
}

// usageTip says what a kernel uses.
func usageTip(k *kit.Kit, u state.Usage) string {
	said := join(k.T("usage.memory", i18n.Bytes(u.Memory)), k.T("usage.cpu", u.CPU))
	if u.GPU > 0 {
		said = join(said, k.T("usage.gpu", i18n.Bytes(u.GPU)))
	}
	return said
}
