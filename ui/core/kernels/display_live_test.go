package kernels_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
)

// Jupyter's own kernel sends no titles, so they come from literals in the code.
func TestLiveTitlesOfAStockKernel(t *testing.T) {
	t.Parallel()
	d := newForeign(t)
	s := d.session()
	for name, c := range map[string]struct {
		code string
		want []string // title: description
	}{
		"one":                  {"import matplotlib.pyplot as plt\nplt.plot([1])\nplt.title('Eins')\nplt.show()", []string{"Eins: Plot 1 in this run"}},
		"one without":          {"import matplotlib.pyplot as plt\nplt.plot([1])", []string{": Plot 1 in this run"}},
		"in a loop":            {"import matplotlib.pyplot as plt\nfor m in range(3):\n    plt.plot([m])\n    plt.title(f'{m}月')\n    plt.show()", []string{": Plot 1 of 3 in this run", ": Plot 2 of 3 in this run", ": Plot 3 of 3 in this run"}},
		"with fig at the end":  {"import matplotlib.pyplot as plt\nf, a = plt.subplots()\na.set_title('A')\ng, b = plt.subplots()\nb.set_title('B')\ng", []string{": Plot 1 of 2 in this run", ": Plot 2 of 2 in this run"}},
		"shown one by one":     {"import matplotlib.pyplot as plt\nf, a = plt.subplots()\na.set_title('A')\nf.show()\nplt.plot([2])\nplt.show()\nplt.title('C')", []string{"A: Plot 1 of 2 in this run", ": Plot 2 of 2 in this run"}},
		"pandas and seaborn":   {"import pandas as pd, seaborn as sns, matplotlib.pyplot as plt\npd.DataFrame({'a': [1, 2]}).plot(title='Pandas')\nplt.show()\nsns.lineplot(x=[1, 2], y=[1, 3]).set_title('Sea')", []string{"Pandas: Plot 1 of 2 in this run", "Sea: Plot 2 of 2 in this run"}},
		"a figure without any": {"import matplotlib.pyplot as plt\nplt.figure()\nplt.figure()\nplt.title('Second')", []string{": Plot 1 in this run"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := d.run(s, c.code)
			var got []string
			for _, i := range v.Images {
				got = append(got, i.Title+": "+i.Description)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || v.Status != catalog.StatusOK {
				t.Errorf("%s %+v (-want +got):\n%s", v.Status, v.Error, diff)
			}
		})
	}
}
