package settings

import "os"

// tokenVariables are the variables with tokens that Parse reads.
var tokenVariables = []string{"EASEL_TOKEN", "EASEL_JUPYTER_TOKEN", "JUPYTER_TOKEN"}

// ForgetTokens removes the tokens that Parse has read from the environment of this process, so that no
// program that it starts has them: no kernel, no terminal, no Python that is examined. An app that
// it starts gets them by Options.Env.
func ForgetTokens() {
	for _, name := range tokenVariables {
		_ = os.Unsetenv(name) // it fails for impossible names only
	}
}
