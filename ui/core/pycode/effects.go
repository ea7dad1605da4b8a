package pycode

import (
	"slices"
	"strings"
)

// Names of functions and modules by what they do. A name that ends with a dot is that of
// a module or a class with all that it contains.
var (
	shellNames = []string{
		"os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn", "os.kill", "os.fork", "os._exit", "subprocess.", "pty.spawn",
		"multiprocessing.Process",
	}
	networkNames = []string{
		"requests.", "httpx.", "aiohttp.", "socket.", "urllib.request.", "urllib3.", "http.client.", "ftplib.", "smtplib.", "imaplib.",
		"paramiko.", "boto3.", "webbrowser.open", "yfinance.", "wandb.", "mlflow.", "datasets.load_dataset", "seaborn.load_dataset",
		"statsmodels.datasets.get_rdataset", "kagglehub.", "huggingface_hub.", "openai.", "anthropic.", "gdown.", "wget.download", "pip.main",
		"asyncio.open_connection", "websockets.", "vega_datasets.",
	}
	writeNames = []string{
		"os.remove", "os.unlink", "os.rename", "os.renames", "os.replace", "os.mkdir", "os.makedirs", "os.rmdir", "os.removedirs", "os.chmod",
		"os.chown", "os.symlink", "os.link", "os.truncate", "os.utime", "os.write", "shutil.copy", "shutil.move", "shutil.rmtree",
		"shutil.make_archive", "shutil.unpack_archive", "numpy.save", "numpy.savez", "numpy.savetxt", "joblib.dump", "torch.save",
		"imageio.imwrite", "imageio.mimsave", "imageio.mimwrite", "cv2.imwrite", "matplotlib.pyplot.imsave", "plt.imsave", "plt.savefig",
		"pandas.ExcelWriter", "pyarrow.parquet.write_table", "scipy.io.savemat", "scipy.io.wavfile.write",
	}
	// writeMethods write to their path, if they have one.
	writeMethods = []string{
		"to_csv", "to_parquet", "to_excel", "to_json", "to_pickle", "to_feather", "to_hdf", "to_sql", "to_html", "to_latex", "to_stata",
		"to_xml", "to_markdown", "to_orc", "to_netcdf", "to_zarr", "to_file", "to_gbq", "write_csv", "write_parquet", "write_json",
		"write_ndjson", "write_ipc", "write_excel", "write_html", "write_image", "write_database", "sink_csv", "sink_parquet", "savefig",
		"save", "tofile", "extractall",
	}
	// pathMethods change files without arguments, or with contents as the argument.
	pathMethods = []string{"write_text", "write_bytes", "unlink", "rmdir", "touch", "symlink_to", "hardlink_to"}
	clockNames  = []string{
		"datetime.now", "datetime.today", "datetime.utcnow", "datetime.datetime.now", "datetime.datetime.today", "datetime.datetime.utcnow",
		"datetime.date.today", "pandas.Timestamp.now", "pandas.Timestamp.today", "pandas.Timestamp.utcnow",
	}
	// timers are functions of the module time.
	timers = []string{
		"time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "process_time", "ctime", "localtime", "gmtime", "asctime",
	}
	// readers read the file whose path is their first argument.
	readers = []string{
		"numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile", "plt.imread", "matplotlib.pyplot.imread", "PIL.Image.open",
		"Image.open", "cv2.imread", "imageio.imread", "xarray.open_dataset", "xarray.open_dataarray", "netCDF4.Dataset", "geopandas.read_file",
		"joblib.load", "torch.load", "scipy.io.loadmat",
	}
	// bootstraps are functions of seaborn that draw random samples for intervals or jitter.
	bootstraps = []string{"barplot", "pointplot", "lineplot", "regplot", "lmplot", "stripplot"}
	openers    = []string{
		"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "h5py.File", "zipfile.ZipFile", "tarfile.open",
	}
	seeders = []string{
		"random.seed", "numpy.random.seed", "torch.manual_seed", "tensorflow.random.set_seed", "tensorflow.keras.utils.set_random_seed",
	}
	generators = []string{
		"numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.SeedSequence", "numpy.random.PCG64", "numpy.random.MT19937",
		"numpy.random.Philox", "numpy.random.SFC64", "random.Random",
	}
	// estimators take random_state, and use NumPy's generator without it.
	estimators = []string{
		"train_test_split", "KMeans", "MiniBatchKMeans", "GaussianMixture", "RandomForestClassifier", "RandomForestRegressor", "TSNE", "UMAP",
		"MLPClassifier", "MLPRegressor", "GradientBoostingClassifier", "GradientBoostingRegressor", "make_blobs", "make_moons",
		"make_classification", "make_regression", "make_circles", "IsolationForest", "rvs",
	}
)

// in reports whether a full name is in a list.
func in(list []string, full string) bool {
	return slices.ContainsFunc(list, func(n string) bool {
		if strings.HasSuffix(n, ".") {
			return strings.HasPrefix(full, n)
		}
		return full == n
	})
}

// call reads a call.
func (f *finder) call(c call, line int, tokens []token) {
	full := f.full(c)
	what := strings.TrimPrefix(strings.Join(c.path, "."), ".")
	path, given := c.pathArgument()
	switch {
	case f.randomCall(c, full, what, line):
	case in(movers, full):
		f.move(line, path)
	case in(shellNames, full), strings.HasPrefix(full, "os.exec"), strings.HasPrefix(full, "os.spawn"), ipython(tokens, c):
		f.add(Shell, line, what, "")
	case in(networkNames, full), strings.HasPrefix(full, "sklearn.datasets.fetch_"):
		f.add(Network, line, what, path)
	case in(openers, full):
		f.opened(c.args, 1, what, path, line)
	case c.method() && c.last() == "open" && !in(readers, full) && !given:
		f.opened(c.args, 0, what, receiverPath(tokens, c), line)
	case c.method() && c.last() == "open" && modeOf(c.args, 0) != "":
		f.opened(c.args, 0, what, receiverPath(tokens, c), line)
	case full == "sqlite3.connect":
		if path != ":memory:" {
			f.add(Writes, line, what, path)
		}
	case in(writeNames, full), strings.HasPrefix(full, "shutil.copy"):
		f.add(Writes, line, what, path)
	case c.method() && slices.Contains(pathMethods, c.last()):
		f.add(Writes, line, what, receiverPath(tokens, c))
	case c.method() && c.last() == "mkdir", c.method() && slices.Contains(writeMethods, c.last()) && given && !memory(c):
		f.add(Writes, line, what, path)
	case in(clockNames, full), slices.Contains(timers, strings.TrimPrefix(full, "time.")) && strings.HasPrefix(full, "time."):
		f.add(Clock, line, what, "")
	case c.method() && (c.last() == "read_text" || c.last() == "read_bytes"):
		f.add(Reads, line, what, receiverPath(tokens, c))
	case reads(c, full) && given:
		f.add(Reads, line, what, path)
	}
}

// reads reports whether a call reads a file of data.
func reads(c call, full string) bool {
	last := c.last()
	named := strings.HasPrefix(last, "read_") && !strings.HasPrefix(last, "read_sql") && last != "read_clipboard" ||
		strings.HasPrefix(last, "scan_")
	return in(readers, full) || named && (c.method() || strings.HasPrefix(full, "pandas.") || strings.HasPrefix(full, "polars."))
}

// ipython reports whether a call is get_ipython().system(…).
func ipython(tokens []token, c call) bool {
	return (c.last() == "system" || c.last() == "getoutput") && slices.ContainsFunc(tokens[c.from:c.end], func(t token) bool { return t.is("get_ipython") })
}

// opened adds a hint for a file that is opened. The argument with this index is its mode.
func (f *finder) opened(args [][]token, index int, what, path string, line int) {
	if strings.ContainsAny(modeOf(args, index), "wax+") {
		f.add(Writes, line, what, path)
		return
	}
	f.add(Reads, line, what, path)
}

// modeOf returns the mode in which a file is opened, or "".
func modeOf(args [][]token, index int) string {
	for i, a := range args {
		if isNamed(a) && a[0].word == "mode" {
			mode, _ := stringOf(a[2:])
			return mode
		}
		if i == index && !isNamed(a) {
			mode, _ := stringOf(a)
			return mode
		}
	}
	return ""
}

// receiverPath returns the literal in Path("a.csv").read_text(), or "".
func receiverPath(tokens []token, c call) string {
	for i := c.from; i+2 < c.end; i++ {
		if tokens[i].is("Path") && tokens[i+1].is("(") && tokens[i+2].kind == text && tokens[i+2].plain {
			return tokens[i+2].word
		}
	}
	return ""
}

// memory reports whether a call saves to an object of the code, probably a buffer, or
// returns its result.
func memory(c call) bool {
	arg := c.positional()
	if c.last() != "save" && c.last() != "savefig" || len(arg) != 1 || arg[0].kind != name {
		return false
	}
	word := strings.ToLower(arg[0].word)
	return slices.ContainsFunc([]string{"buf", "bio", "stream", "memory", "bytes"},
		func(part string) bool { return strings.Contains(word, part) })
}

// randomCall reads a call that seeds or uses a generator of random numbers. It reports
// whether it is one.
func (f *finder) randomCall(c call, full, what string, line int) bool {
	last := c.last()
	seedGiven := func() bool {
		for _, key := range []string{"seed", "random_state", "rng", "key", "generator"} {
			if v := c.named(key); v != nil {
				return len(v) != 1 || !v[0].is("None")
			}
		}
		return false
	}
	firstGiven := func() bool { p := c.positional(); return p != nil && (len(p) != 1 || !p[0].is("None")) }
	switch {
	case in(seeders, full):
		module, _, _ := strings.Cut(full, ".")
		f.seeded[module] = f.seeded[module] || firstGiven() || seedGiven()
	case in(generators, full):
		if !firstGiven() && !seedGiven() {
			f.add(Random, line, what, "")
		}
	case full == "numpy.random.Generator":
	case strings.HasPrefix(full, "numpy.random."):
		f.unless("numpy", line, what)
	case strings.HasPrefix(full, "random.") && len(c.path) <= 2:
		if full == "random.SystemRandom" || !strings.HasPrefix(last, "get") {
			f.unless("random", line, what)
		}
	case strings.HasPrefix(full, "torch.rand"), strings.HasPrefix(full, "torch.normal"):
		f.unless("torch", line, what)
	case strings.HasPrefix(full, "tensorflow.random."):
		f.unless("tensorflow", line, what)
	case full == "os.urandom", full == "uuid.uuid4", full == "uuid.uuid1", strings.HasPrefix(full, "secrets."):
		f.add(Random, line, what, "")
	case strings.HasPrefix(full, "seaborn.") && slices.Contains(bootstraps, last):
		// An interval of the data itself is not sampled; errorbar says which one.
		if eb := c.named("errorbar"); !seedGiven() && eb == nil && c.named("ci") == nil {
			f.add(Random, line, what, "")
		}
	case c.method() && last == "sample", slices.Contains(estimators, last):
		if !seedGiven() {
			f.unless("numpy", line, what)
		}
	default:
		return false
	}
	return true
}

// unless adds a hint unless the module's generator was seeded.
func (f *finder) unless(module string, line int, what string) {
	if !f.seeded[module] {
		f.add(Random, line, what, "")
	}
}
