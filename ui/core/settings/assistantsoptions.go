package settings

import (
	"flag"
	"slices"
	"strings"

	"easel/ui/core/rights"
	"easel/ui/core/roster"
)

// assistantFlags adds the flags of the command assistants. Each is what it does; the value is whom it is about.
func (o *Options) assistantFlags(fs *flag.FlagSet) {
	for _, do := range roster.Changes() {
		fs.Func(do, "", func(name string) error {
			if o.Assistants.Do != "" {
				return usageError("--%s and --%s: give one at a time", o.Assistants.Do, do)
			}
			o.Assistants = roster.Change{Do: do, Name: name}
			return nil
		})
	}
}

// checkAssistants validates what the command assistants does.
func (o *Options) checkAssistants() error {
	c := &o.Assistants
	if c.Do != "" && o.Command != "assistants" {
		return usageError("--%s is a flag of `easel assistants`", c.Do)
	}
	if c.Do == roster.Rights {
		i := strings.LastIndexByte(c.Name, '=')
		if i < 0 {
			return usageError("--rights takes a name and a set, for example cursor=look")
		}
		c.Name, c.Set = c.Name[:i], c.Name[i+1:]
		var sets []string
		for _, x := range rights.Sets {
			sets = append(sets, x.Name)
		}
		if sets = append(sets, roster.Default); !slices.Contains(sets, c.Set) {
			return usageError("the rights %q are none of %s", c.Set, strings.Join(sets, ", "))
		}
	}
	if c.Do != "" && strings.TrimSpace(c.Name) == "" {
		return usageError("--%s needs the name of an assistant", c.Do)
	}
	return nil
}
