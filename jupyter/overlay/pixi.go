package overlay

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"easel/internal/system"
)

// A pixiEnvironment is what a manifest of pixi says about one of its environments.
type pixiEnvironment struct {
	root, name  string
	activations []pixiActivation
}

type pixiActivation struct {
	Scripts []string       `toml:"scripts"`
	Env     map[string]any `toml:"env"`
}

// A pixiPart is a manifest's default part, or that of a feature.
type pixiPart struct {
	Activation pixiActivation      `toml:"activation"`
	Target     map[string]pixiPart `toml:"target"` // by system
}

type pixiManifest struct {
	pixiPart

	Feature      map[string]pixiPart `toml:"feature"`
	Environments map[string]any      `toml:"environments"`
}

// pixiOf returns the environment of pixi with that prefix, if it is one.
func pixiOf(prefix string) (p pixiEnvironment, ok bool) {
	envs := filepath.Dir(prefix)
	if filepath.Base(envs) != "envs" || filepath.Base(filepath.Dir(envs)) != ".pixi" {
		return p, false
	}
	p = pixiEnvironment{root: filepath.Dir(filepath.Dir(envs)), name: filepath.Base(prefix)}
	var m pixiManifest
	if text, err := system.ReadRegular(filepath.Join(p.root, "pixi.toml"), 1<<20); err == nil {
		_ = toml.Unmarshal(text, &m) // without it, there is nothing to add
	} else if text, err := system.ReadRegular(filepath.Join(p.root, "pyproject.toml"), 1<<20); err == nil {
		var project struct {
			Tool struct {
				Pixi pixiManifest `toml:"pixi"`
			} `toml:"tool"`
		}
		_ = toml.Unmarshal(text, &project)
		m = project.Tool.Pixi
	}
	features, alone := m.features(p.name)
	if !alone {
		p.add(m.pixiPart)
	}
	for _, f := range features {
		p.add(m.Feature[f])
	}
	return p, true
}

// features returns the features of an environment, and whether the default part does not belong to it.
func (m pixiManifest) features(name string) (features []string, alone bool) {
	list, _ := m.Environments[name].([]any)
	if table, ok := m.Environments[name].(map[string]any); ok {
		list, _ = table["features"].([]any)
		alone, _ = table["no-default-feature"].(bool)
	}
	for _, f := range list {
		if text, ok := f.(string); ok {
			features = append(features, text)
		}
	}
	return features, alone
}

// add adds what a part says for every system, then what it says for this one.
func (p *pixiEnvironment) add(part pixiPart) {
	p.activations = append(p.activations, part.Activation)
	for _, system := range pixiSystems() {
		p.activations = append(p.activations, part.Target[system].Activation)
	}
}

// pixiSystems are pixi's names of this system, the most general one first.
func pixiSystems() []string {
	machine := map[string]string{"amd64": "64", "arm64": "aarch64"}[runtime.GOARCH]
	switch runtime.GOOS {
	case "darwin":
		if machine == "aarch64" {
			machine = "arm64"
		}
		return []string{"unix", "osx", "osx-" + machine}
	case "windows":
		return []string{"win", "win-" + machine}
	}
	return []string{"unix", "linux", "linux-" + machine}
}

// variables returns the variables of the environment. Their values may refer to others.
func (p pixiEnvironment) variables(known map[string]string) map[string]string {
	env := map[string]string{"PIXI_PROJECT_ROOT": p.root, "PIXI_ENVIRONMENT_NAME": p.name}
	value := func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		if v, ok := known[name]; ok {
			return v
		}
		return os.Getenv(name)
	}
	for _, a := range p.activations {
		for _, name := range slices.Sorted(maps.Keys(a.Env)) {
			if text, ok := a.Env[name].(string); ok {
				env[name] = os.Expand(text, value)
			}
		}
	}
	return env
}

// scripts returns the manifest's own scripts.
func (p pixiEnvironment) scripts() (paths []string) {
	for _, a := range p.activations {
		for _, script := range a.Scripts {
			if filepath.Ext(script) == ".sh" && filepath.IsLocal(script) {
				paths = append(paths, filepath.Join(p.root, script))
			}
		}
	}
	return paths
}
