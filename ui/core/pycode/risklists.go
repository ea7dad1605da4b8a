package pycode

import (
	_ "embed" // for risknames.txt
	"regexp"
	"strings"
)

// A moduleRule says what of a module may be mentioned without a question.
type moduleRule struct {
	kind    RiskKind // of everything else; "" if the whole module is harmless, but for what riskyNames lists
	allowed []string // names of the module, or "name." for all that is below one; of a module with a kind only
}

//go:embed risknames.txt
var riskNames string

// named are the names in risknames.txt, by their headings.
var named = headed(riskNames)

// headed returns the words of a text by the headings in brackets above them. Lines that begin with # are comments.
func headed(text string) map[string][]string {
	all, heading := make(map[string][]string), ""
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			heading = strings.Trim(line, "[]")
		default:
			all[heading] = append(all[heading], words(line)...)
		}
	}
	return all
}

// riskyModules are modules of which only some names are harmless, if any, names of modules that are risky themselves, and
// harmless ones of such modules, which have no kind. The longest name that matches counts.
var riskyModules = modules()

func modules() map[string]moduleRule {
	all := make(map[string]moduleRule)
	for heading, names := range named {
		switch h := words(heading); h[0] {
		case "modules":
			for _, n := range names {
				all[n] = moduleRule{kind: RiskKind(strings.Join(h[1:], ""))}
			}
		case "module":
			all[h[1]] = moduleRule{RiskKind(h[2]), names}
		}
	}
	return all
}

// harmlessModules are modules that only compute, read and draw, but for what riskyNames lists. The names below them
// are, too.
var harmlessModules = set(strings.Join(named["harmless modules"], " "))

// riskyNames are attributes that are risky whatever they belong to, called or not.
var riskyNames = attributesByKind()

func attributesByKind() map[string]RiskKind {
	all := make(map[string]RiskKind)
	for heading, names := range named {
		if kind, ok := strings.CutPrefix(heading, "names "); ok {
			for _, n := range names {
				all[n] = RiskKind(kind)
			}
		}
	}
	return all
}

// riskyBuiltins are builtin functions that do what their text does not tell.
var riskyBuiltins = set(`exec eval compile __import__ globals locals breakpoint`)

// builtinNames are the names that need no definition.
var builtinNames = set(`abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr
		dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input
		int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property quit
		range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip __import__ display
		get_ipython copyright credits license __build_class__ reload unichr unicode xrange raw_input reduce BaseException
		Exception ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError BytesWarning
		ChildProcessError ConnectionError DeprecationWarning EOFError EnvironmentError FileExistsError FileNotFoundError
		FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
		InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError
		NotADirectoryError NotImplementedError OSError OverflowError PermissionError ProcessLookupError RecursionError
		ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SystemError
		SystemExit TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning
		ValueError Warning ZeroDivisionError NotImplemented Ellipsis ExceptionGroup`)

// harmlessDunders are names with two underscores on both sides that reach nothing hidden.
var harmlessDunders = set(`__name__ __main__ __init__ __post_init__ __new__ __repr__ __str__ __len__ __iter__ __next__ __getitem__ __setitem__
		__delitem__ __contains__ __call__ __enter__ __exit__ __aenter__ __aexit__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__
		__hash__ __bool__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __matmul__ __mod__ __pow__ __neg__ __radd__
		__rmul__ __iadd__ __and__ __or__ __xor__ __abs__ __float__ __int__ __index__ __array__ __version__ __doc__ __file__
		__future__ __all__ __class__ __author__ __slots__ __annotations__ __signature__ __geo_interface__ __module__
		__qualname__ __format__ __getattr__ __setattr__ __version_info__ __copy__ __deepcopy__ __debug__`)

// writers write to the file that an argument names: to the one with this index, or with one of these names.
var writers = indexes(`to_csv to_parquet to_excel to_json to_pickle to_feather to_hdf to_html to_latex to_stata to_xml to_markdown to_orc
		to_netcdf to_zarr to_file to_string write_csv write_parquet write_json write_ndjson write_ipc write_excel write_html
		write_image write_avro write_delta sink_csv sink_parquet sink_ipc sink_ndjson savefig save tofile imsave savez savetxt
		savez_compressed save_weights save_model save_pretrained dump_model export_graphviz   
		  write_gpickle ExcelWriter HDFStore to_kml writeto write_videofile write_gif PdfPages
		save_png save_svg to_disk write_feather mimwrite imwrite mimsave write_png makedirs mkdir to_ipc savemat`, `write_table save_image dump_svmlight_file write_gexf write_gml write_graphml write_edgelist write_adjlist
		write_pajek`)

// indexes returns the words of each text with the text's index.
func indexes(texts ...string) map[string]int {
	all := make(map[string]int)
	for i, t := range texts {
		for _, w := range words(t) {
			all[w] = i
		}
	}
	return all
}

// textWriters return a text without a file.
var textWriters = set(`to_csv to_json to_html to_latex to_markdown to_string to_xml write_csv write_json write_ndjson to_stata`)

// pathKeys are the names of arguments that name a file.
var pathKeys = words(`path_or_buf path filepath_or_buffer io fname file filename buf excel_writer source fp path_or_buffer filepath name
		where out_file fspath target`)

// fileOpeners open a file whose mode is an argument with the index 1.
var fileOpeners = set(`open io.open codecs.open gzip.open bz2.open lzma.open h5py.File zipfile.ZipFile tarfile.open tarfile.TarFile
		gzip.GzipFile bz2.BZ2File lzma.LZMAFile netCDF4.Dataset rasterio.open zarr.open wave.open tables.open_file os.fdopen`)

// pictureFiles are the endings of pictures, without a dot.
var pictureFiles = words(`png jpg jpeg svg pdf gif webp tif tiff eps`)

// dataFiles are the endings of files that are data or pictures, and not code that something may run later.
var dataFiles = append(words(`.csv .tsv .txt .json .jsonl .ndjson .parquet .feather .arrow .ipc .orc .avro .xlsx .xls .ods .h5 .hdf .hdf5 .nc .npy
		.npz .mat .dta .sav .zarr .docx .pptx .png .jpg .jpeg .svg .pdf .gif .webp .tif .tiff .bmp .eps .html .htm .md .tex .log .dat .gz .zip
		.bz2 .xz .zst
		.geojson .gpkg .shp .kml .gml .graphml .gexf .wav .mp4 .fits .pkl .pickle .joblib .pt .pth .ckpt .onnx .keras .model
		.xml .db .sqlite`), "")

// Texts that say what they are used for.
var (
	address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+]{1,15}://|://[\w\[{%]|^(?:https?|ftps?|s3):/*$|\bgit@`)
	secret  = regexp.MustCompile(`(?i)(?:^|[/\\])\.(?:ssh|aws|azure|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|pgpass|env|envrc|htpasswd|bash_history|zsh_history|boto|databrickscfg)(?:$|[/\\.])|` +
		`\bid_(?:rsa|dsa|ecdsa|ed25519)\b|/etc/(?:passwd|shadow|sudoers|ssh)|/proc/(?:self|\d+)|\beasel\.json\b|credentials?\.json|application_default_credentials|` +
		`\bkubeconfig\b|\bLogin Data\b|cookies\.sqlite|\bkey4\.db\b|\.pem$|\.kdbx$|\bNTUSER\b|kaggle\.json|huggingface/token|\.config/(?:gh|gcloud|rclone|doctl|hub|op)\b|\bkernel-[\w*{}-]+\.json|\bsecrets\.toml|jupyter/runtime`)
	hiddenCode = regexp.MustCompile(`__(?:import|subclasses|globals|builtins|class|mro|bases|code|reduce)__|\bos\.(?:system|popen|remove|unlink|exec)|\bsubprocess\b|\b(?:eval|exec)\s*\(|` +
		`\bimport (?:os|sys|subprocess|shutil|socket)\b|\brm -\w*[rf]|\bcurl \S|\bwget \S|\bpip3? install\b|<script|javascript:|\bon(?:error|load)\s*=|application/javascript`)
	// programSetting matches a setting of matplotlib that names a program to start.
	programSetting = regexp.MustCompile(`^animation\.(?:ffmpeg|convert|mencoder|avconv)_path$`)
	queryCall      = regexp.MustCompile(`@\s*\w[\w.]*\s*[\[(]|@\w+\.\w|__`)
	riskyMarkup    = regexp.MustCompile(`(?i)<script|<iframe|javascript:|\bon(?:error|load|click)\s*=|<object|<embed|<meta`)
)

// displayers show their texts and do nothing else with them.
var displayers = set(`print title suptitle set_title xlabel ylabel set_xlabel set_ylabel text annotate figtext legend Markdown HTML
		display_markdown display_html info warning debug error warn Latex caption set_caption display fail startswith endswith
		xlabel_format`)

// harmlessVariables of the environment only tune libraries.
var harmlessVariables = regexp.MustCompile(`^(?:CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|TF_\w+|OMP_\w+|MKL_\w+|KMP_\w+|OPENBLAS_\w+|NUMBA_\w+|NUMEXPR_\w+|VECLIB_\w+|TOKENIZERS_PARALLELISM|PYTHONHASHSEED|PYTHONWARNINGS|XLA_\w+|JAX_\w+|KERAS_BACKEND|MPLBACKEND|PYTORCH_\w+|CUBLAS_WORKSPACE_CONFIG|TZ|COLUMNS|LINES|SCIPY_ARRAY_API|OUTDATED_IGNORE|GRPC_VERBOSITY|OPENCV_\w+)$`)

// frameMakers return tables.
var frameMakers = regexp.MustCompile(`^(?:read_\w+|scan_\w+|DataFrame|LazyFrame|GeoDataFrame|merge|concat|join|pivot_table|pivot|melt|groupby|from_dict|from_records|query|dropna|fillna|reset_index|set_index|assign|sort_values|load_dataset|load_\w+|get_\w+|fetch_\w+|make_\w+|copy|drop|loc|iloc)$`)

func words(s string) []string { return strings.Fields(s) }

func set(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range words(s) {
		m[w] = true
	}
	return m
}
