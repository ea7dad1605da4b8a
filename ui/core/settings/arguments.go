package settings

import (
	"os"
	"strconv"
)

// Args returns the command line of an app with these options, except for the tokens. See Env.
func (o Options) Args() []string {
	args := []string{"--data-dir", o.DataDir}
	for _, f := range []struct{ flag, value string }{
		{"--root-dir", o.RootDir},
		{"--jupyter-url", o.JupyterURL},
		{"--lang", o.Lang},
		{"--log-level", o.LogLevel},
		{"--wheelhouse", o.Wheelhouse},
	} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	for _, dir := range SplitProjects(o.Projects) {
		args = append(args, "--project", dir)
	}
	if o.Port != 0 {
		args = append(args, "--port", strconv.Itoa(o.Port))
	}
	if o.Hidden {
		args = append(args, "--hidden")
	}
	if o.Headless {
		args = append(args, "--headless")
	}
	if o.Sandbox {
		args = append(args, "--sandbox")
	}
	if o.DotEnv {
		args = append(args, "--dotenv")
	}
	return args
}

// Bridge returns the command line of the stdio bridge to an app with these options. It
// contains the data directory, unless that is the default for programs without this one's
// variables, which some clients remove; and the port, if it was given. A port from the settings
// file is not needed.
func (o Options) Bridge() []string {
	args := []string{"mcp"}
	if dir, err := DefaultDataDir(); err != nil || dir != o.DataDir || os.Getenv("XDG_DATA_HOME") != "" {
		args = append(args, "--data-dir", o.DataDir)
	}
	if o.Port != 0 {
		args = append(args, "--port", strconv.Itoa(o.Port))
	}
	return args
}

// Env returns the environment variables with the tokens, which must not appear in process
// lists.
func (o Options) Env() []string {
	var env []string
	if o.Token != "" {
		env = append(env, "EASEL_TOKEN="+o.Token)
	}
	if o.JupyterToken != "" {
		env = append(env, "EASEL_JUPYTER_TOKEN="+o.JupyterToken)
	}
	return env
}
