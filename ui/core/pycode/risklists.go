package pycode

import (
	"maps"
	"regexp"
	"strings"
)

// A moduleRule says what of a module may be mentioned without a question.
type moduleRule struct {
	kind    RiskKind // of everything else; "" if the whole module is harmless, but for what riskyNames lists
	allowed []string // names of the module, or "name." for all that is below one; of a module with a kind only
}

// riskyModules are modules of which only some names are harmless, if any, and names of modules that are risky themselves. The longest name
// that matches counts.
var riskyModules = modules(map[RiskKind]string{ //nolint:gosec // it has no credentials
	RiskFiles: `posix nt dbm mmap fileinput send2trash logging.FileHandler logging.handlers duckdb plotly.offline.plot
		torch.onnx.export`,
	RiskNetwork: `fabric httpx aiohttp urllib2 socketserver ssl ftplib smtplib imaplib poplib telnetlib nntplib xmlrpc webbrowser
		wsgiref paramiko boto3 botocore s3fs gcsfs fsspec smart_open websocket websockets zmq pycurl wget gdown yfinance
		pandas_datareader wandb mlflow comet_ml neptune kaggle kagglehub opendatasets huggingface_hub datasets openai
		anthropic google.cloud google.generativeai azure tweepy praw selenium scrapy playwright pymongo psycopg2 psycopg
		pymysql MySQLdb mysql redis pyodbc cx_Oracle ibis jupyter_client jupyter_server torch.hub torch.distributed
		tensorflow.keras.datasets keras.datasets nltk.download seaborn.load_dataset seaborn.get_dataset_names
		multiprocessing.connection multiprocessing.managers scipy.datasets chart_studio tensorflow_hub tensorflow_datasets
		transformers.pipeline gensim.downloader evaluate nilearn.datasets mne.datasets geopy.geocoders
		astropy.coordinates.SkyCoord.from_name`,
	RiskPrograms: `os.system os.popen os.kill os.killpg os.fork os.forkpty os._exit os.startfile os.abort os.nice pty pexpect sh plumbum
		invoke ipyparallel ray pathos plotly.io.orca`,
	RiskPackages: `ensurepip conda venv piplite micropip spacy.cli`,
	RiskSecrets: `os.environ os.getenv os.environb os.putenv os.unsetenv dotenv keyring pwd spwd netrc browser_cookie3 pyperclip
		PIL.ImageGrab google.colab decouple pandas.read_clipboard pandas.io.clipboard`,
	RiskUnseen: `builtins __builtin__ runpy imp code codeop ctypes _ctypes cffi marshal shelve pdb bdb trace nbconvert nbclient
		papermill ipykernel jinja2 numpy.distutils numpy.f2py numpy.ctypeslib torch.utils.cpp_extension torch.load
		torch.jit.load joblib.load logging.config pandas.read_pickle IPython.get_ipython cryptography unittest.main
		statsmodels.api.load statsmodels.api.load_pickle gensim.models.Word2Vec.load gensim.models.KeyedVectors.load
		statsmodels.iolib.smpickle sympy.S`,
}, map[string]moduleRule{
	"getpass": {RiskSecrets, words(`getpass getuser GetPassWarning`)}, // the user types it, or not
	"os": {RiskFiles, words(`path. getcwd getcwdb listdir scandir walk stat lstat sep linesep pathsep curdir pardir extsep altsep name fspath
		cpu_count getpid getppid access R_OK W_OK X_OK F_OK devnull PathLike uname times getloadavg get_terminal_size fsencode
		fsdecode urandom error sched_getaffinity SEEK_SET SEEK_END chdir fchdir`)},
	"sys": {RiskUnseen, words(`version. version version_info platform maxsize maxunicode byteorder executable prefix base_prefix argv path. path
		getsizeof stdout. stdout stderr. stderr stdin float_info int_info exit getrecursionlimit setrecursionlimit getrefcount
		intern implementation. implementation getdefaultencoding getfilesystemencoding hexversion float_repr_style displayhook`)},
	"shutil":      {RiskFiles, words(`disk_usage which get_terminal_size Error SameFileError`)},
	"importlib":   {RiskUnseen, words(`metadata. metadata resources. resources util.find_spec`)},
	"pickle":      {RiskUnseen, words(`dump dumps HIGHEST_PROTOCOL DEFAULT_PROTOCOL PickleError PicklingError UnpicklingError`)},
	"dill":        {RiskUnseen, words(`dump dumps`)},
	"cloudpickle": {RiskUnseen, words(`dump dumps`)},
	"cProfile":    {RiskUnseen, words(`Profile`)},
	"profile":     {RiskUnseen, words(`Profile`)},
	"gc":          {RiskUnseen, words(`collect disable enable get_count get_stats freeze isenabled get_threshold set_threshold`)},
	"inspect": {RiskUnseen, words(`signature getdoc getsource getsourcelines isfunction isclass ismethod ismodule Parameter. Parameter Signature cleandoc
		getfullargspec`)},
	"types": {RiskUnseen, words(`SimpleNamespace MappingProxyType GeneratorType NoneType LambdaType BuiltinFunctionType UnionType EllipsisType
		GenericAlias`)},
	"codecs":   {RiskUnseen, words(`open BOM_UTF8`)},
	"binascii": {RiskUnseen, words(`hexlify crc32`)},
	"base64":   {RiskUnseen, words(`b64encode urlsafe_b64encode standard_b64encode encodebytes b32encode b85encode`)},
	"IPython": {RiskUnseen, words(`display. display core.display. version_info __version__ core.display_functions. core.pylabtools.
		core.interactiveshell.InteractiveShell`)},
	"nbformat":   {RiskFiles, words(`read reads NO_CONVERT`)},
	"subprocess": {RiskPrograms, words(`PIPE STDOUT DEVNULL CalledProcessError TimeoutExpired`)},
	"signal":     {RiskPrograms, words(`SIGINT SIGTERM SIGALRM`)},
	"psutil": {RiskPrograms, words(`cpu_count cpu_percent virtual_memory swap_memory disk_usage disk_partitions net_io_counters disk_io_counters cpu_freq
		boot_time cpu_times getloadavg`)},
	"pip":                 {RiskPackages, words(`__version__`)},
	"setuptools":          {RiskPackages, words(`__version__`)},
	"distutils":           {RiskPackages, words(`version. version LooseVersion`)},
	"requests":            {RiskNetwork, words(`exceptions. exceptions utils.quote __version__ HTTPError RequestException`)},
	"urllib":              {RiskNetwork, words(`parse. parse error. error`)},
	"urllib3":             {RiskNetwork, words(`disable_warnings exceptions. exceptions`)},
	"http":                {RiskNetwork, words(`HTTPStatus. HTTPStatus cookies. cookies`)},
	"socket":              {RiskNetwork, words(`gethostname error timeout`)},
	"vega_datasets":       {RiskNetwork, words(`local_data. local_data`)},
	"dask.distributed":    {RiskNetwork, words(`progress`)},
	"pyspark":             {RiskPrograms, words(`sql.functions. sql.functions sql.types. sql.types sql.window. ml.`)},
	"sqlite3":             {RiskFiles, words(`Error Row`)},
	"sqlalchemy":          {RiskNetwork, words(`text Column Integer String Float Date types.`)},
	"yaml":                {RiskUnseen, words(`safe_load safe_load_all dump safe_dump safe_dump_all SafeLoader CSafeLoader YAMLError FullLoader full_load`)},
	"tensorflow.io.gfile": {RiskFiles, words(`exists glob listdir isdir`)},
	"doctest":             {RiskUnseen, words(`ELLIPSIS NORMALIZE_WHITESPACE`)},
	"pytest":              {RiskUnseen, words(`approx raises mark. fixture`)},
	"zlib":                {RiskUnseen, words(`crc32 adler32 compress`)},
}, `os.path posixpath ntpath operator matplotlib.pyplot.switch_backend pandas.eval timeit lightgbm.Booster`)

// modules returns the rules of modules of which nothing is harmless, those of others, and of parts of them that are harmless.
func modules(kinds map[RiskKind]string, others map[string]moduleRule, parts string) map[string]moduleRule {
	all := maps.Clone(others)
	for kind, names := range kinds {
		for _, n := range words(names) {
			all[n] = moduleRule{kind: kind}
		}
	}
	for _, n := range words(parts) {
		all[n] = moduleRule{}
	}
	return all
}

// harmlessModules are modules that only compute, read and draw, but for what riskyNames lists. The names below them
// are, too.
var harmlessModules = set(`__future__ abc array ast asyncio atexit bisect calendar cmath collections colorsys concurrent configparser contextlib
		contextvars copy csv ctypes.util dataclasses datetime decimal difflib dis email enum errno fnmatch fractions functools
		glob graphlib gzip bz2 lzma hashlib heapq hmac html io itertools json keyword linecache locale logging math mimetypes
		multiprocessing numbers numpy operator optparse argparse os.path pathlib platform pprint queue random re reprlib
		resource sched secrets select statistics string stringprep struct symtable sysconfig tarfile tempfile textwrap
		threading time timeit token tokenize traceback tracemalloc typing unicodedata unittest uuid warnings weakref xml
		zipfile zoneinfo tomllib ipaddress getopt shlex plistlib wave stat filecmp turtle plistlib quopri binhex audioop
		curses readline cmd tkinter typing_extensions matplotlib pylab mpl_toolkits pandas scipy sklearn seaborn statsmodels
		plotly altair bokeh holoviews hvplot panel param datashader colorcet cmocean cmcrameri polars pyarrow fastparquet
		xarray netCDF4 h5py zarr dask numba numexpr bottleneck sympy mpmath networkx igraph shapely geopandas fiona rasterio
		pyproj cartopy folium contextily pysal libpysal esda mapclassify skimage cv2 PIL imageio tifffile pillow torch
		torchvision torchaudio tensorflow keras jax jaxlib flax optax haiku lightgbm xgboost catboost optuna hyperopt skopt
		bayes_opt imblearn category_encoders feature_engine shap lime eli5 umap hdbscan prophet pmdarima arch tsfresh sktime
		darts neuralforecast statsforecast lifelines pymc pymc3 arviz emcee corner pystan nltk spacy gensim textblob wordcloud
		transformers tokenizers sentence_transformers sentencepiece datatable modin vaex cudf cupy tables openpyxl xlrd
		xlsxwriter tabulate prettytable rich tqdm ipywidgets ipympl IPython.display IPython.core.display joblib cycler
		kiwisolver pytz dateutil tzlocal pendulum arrow holidays babel unidecode ftfy chardet rapidfuzz fuzzywuzzy Levenshtein
		regex bs4 lxml html5lib markdown pygments attr attrs pydantic six toolz cytoolz more_itertools sortedcontainers
		deepdiff astropy astroML healpy photutils lightkurve specutils galpy MDAnalysis rdkit openbabel Bio scanpy anndata
		scvi loompy mne nibabel nilearn pydicom SimpleITK librosa soundfile music21 pretty_midi gym gymnasium
		stable_baselines3 pulp cvxpy cvxopt ortools pyomo deap simpy control filterpy pykalman pint uncertainties patsy
		formulaic linearmodels pingouin scikit_posthocs researchpy missingno ydata_profiling pandas_profiling sweetviz dtale
		plotnine pygal bqplot pydeck squarify joypy adjustText mplfinance mplcursors matplotlib_venn upsetplot venn ptitprince
		brokenaxes SciencePlots scienceplots japanize_matplotlib mizani palettable graphviz pydot pydotplus dtreeviz
		yellowbrick mlxtend scikitplot sklearn_pandas pyod river kmodes minisom fcmeans hmmlearn tslearn stumpy pywt dtw
		fastdtw ruptures antropy neurokit2 heartpy biosppy pyfftw nfft sparse einops timm albumentations monai
		segmentation_models_pytorch torchmetrics pytorch_lightning lightning fastai accelerate peft deepchem dgl
		torch_geometric node2vec community leidenalg powerlaw geopy h3 haversine rtree momepy osmnx.plot numpy_financial
		quantstats pyfolio empyrical ta talib backtrader QuantLib cairosvg svgwrite nptyping jaxtyping typeguard beartype
		hypothesis numpyro pyro gpytorch botorch GPy george celerite tinygp dynesty ultranest corner getdist camb classy
		colossus halotools yt plasmapy sunpy pvlib windpowerlib metpy xesmf cfgrib eofs iris esmpy wrf salem geocat
		intake_xarray climpred verde pygmt pyvista vtk mayavi ipyvolume trimesh open3d itkwidgets napari great_tables itables
		pyjanitor janitor skimpy tidypolars siuba dfply pandasql swifter pandarallel narwhals vegafusion vl_convert anywidget
		ipyleaflet fitter distfit lmfit iminuit pybaselines peakutils findpeaks symfit autograd casadi scs osqp pyscipopt mip
		highspy numdifftools quadpy sobol_seq SALib chaospy pyDOE2 pyDOE smt openturns pickleshare termcolor colorama colour
		colorspacious husl distinctipy emoji jaconv mojimoji MeCab janome sudachipy fugashi
		packaging docx pptx pandera pyecharts keras_tuner theano
		tensorflow_datasets tf_keras caffe ggplot vincent`)

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

// riskyNames are attributes that are risky whatever they belong to, called or not.
var riskyNames = byName(map[RiskKind]string{ //nolint:gosec // it has no credentials
	RiskFiles: `unlink rmdir rmtree removedirs write_text write_bytes touch symlink_to hardlink_to link_to lchmod chmod copytree
		copyfile make_archive unpack_archive FileIO memmap open_memmap to_clipboard FileHandler RotatingFileHandler
		output_file save_to_disk write_database delete_file delete_dir _rmtree Workbook save_text write_to_dataset
		write_dataset ParquetWriter OSFile new_file open_group to_hdf5 save_mfdataset save_npz mmwrite export_png export_svg
		print_figure VideoWriter get_writer TiffWriter PyZipFile ModelCheckpoint CSVLogger write_file write_clipboard
		print_png bltn_open`,
	RiskNetwork: `urlopen urlretrieve urlcleanup create_connection open_connection open_unix_connection create_datagram_endpoint
		start_server create_server run_server sendall recvfrom sendto from_pretrained push_to_hub get_rdataset load_dataset
		download download_url download_file upload upload_file get_file load_state_dict_from_url read_gbq to_gbq start_session
		urlread graph_from_place graph_from_point graph_from_address geocode fetch_openml fetch_california_housing
		fetch_20newsgroups fetch_olivetti_faces fetch_lfw_people fetch_covtype fetch_kddcup99 fetch_rcv1
		fetch_species_distributions add_basemap fetch_ucirepo send_email serve run_app S3FileSystem GcsFileSystem
		HadoopFileSystem urlunsplit urlunparse SentenceTransformer fetch_lfw_pairs`,
	RiskPrograms: `system popen check_output check_call getstatusoutput create_subprocess_exec create_subprocess_shell posix_spawn
		startfile terminate_process subprocess_exec subprocess_shell do_shutdown spawnl spawnv spawnlp spawnvp execv execve
		execvp execl execlp Popen`,
	RiskPackages: `pip_install install_package ensurepip`,
	RiskSecrets: `environ environb getenv putenv expandvars getpass load_dotenv dotenv_values get_password ImageGrab read_clipboard
		userdata`,
	RiskUnseen: `os _os subprocess builtins importlib shutil socket ctypes pickle _sys runpy exec_module load_module import_module
		find_module spec_from_file_location module_from_spec run_path run_module run_cell run_cell_magic run_line_magic
		system_raw safe_execfile user_ns user_global_ns Javascript read_pickle load_pickle load_source FunctionType CodeType
		ModuleType MethodType exec_command _getframe current_frames currentframe set_trace post_mortem sympify parse_expr
		unsafe_load full_eval inline_c load_library WinDLL CDLL PyDLL cdll windll pythonapi register_magic_function
		load_learner load_from_checkpoint load_op_library do_execute autowrap f_globals f_locals f_builtins tb_frame gi_frame
		cr_frame sys run_docstring_examples testmod testfile`,
})

func byName(kinds map[RiskKind]string) map[string]RiskKind {
	all := make(map[string]RiskKind)
	for kind, names := range kinds {
		for _, n := range words(names) {
			all[n] = kind
		}
	}
	return all
}

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
		.geojson .gpkg .shp .kml .gml .graphml .gexf .wav .mp4 .fits .pkl .pickle .joblib .pt .pth .ckpt .onnx .keras .model
		.xml .db .sqlite`), "")

// Texts that say what they are used for.
var (
	address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+]{1,15}://|://[\w\[{]|\bgit@`)
	secret  = regexp.MustCompile(`(?i)(?:^|[/\\])\.(?:ssh|aws|azure|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|pgpass|env|envrc|htpasswd|bash_history|zsh_history|boto|databrickscfg)(?:$|[/\\.])|` +
		`\bid_(?:rsa|dsa|ecdsa|ed25519)\b|/etc/(?:passwd|shadow|sudoers|ssh)|/proc/(?:self|\d+)|\beasel\.json\b|credentials?\.json|application_default_credentials|` +
		`\bkubeconfig\b|\bLogin Data\b|cookies\.sqlite|\bkey4\.db\b|\.pem$|\.kdbx$|\bNTUSER\b|kaggle\.json|huggingface/token|\bkernel-[\w*{}-]+\.json|\bsecrets\.toml|jupyter/runtime`)
	hiddenCode = regexp.MustCompile(`__(?:import|subclasses|globals|builtins|class|mro|bases|code|reduce)__|\bos\.(?:system|popen|remove|unlink|exec)|\bsubprocess\b|\b(?:eval|exec)\s*\(|` +
		`\bimport (?:os|sys|subprocess|shutil|socket)\b|\brm -\w*[rf]|\bcurl \S|\bwget \S|\bpip3? install\b|<script|javascript:|\bon(?:error|load)\s*=|application/javascript`)
	queryCall   = regexp.MustCompile(`@\s*\w[\w.]*\s*[\[(]|@\w+\.\w|__`)
	riskyMarkup = regexp.MustCompile(`(?i)<script|<iframe|javascript:|\bon(?:error|load|click)\s*=|<object|<embed|<meta`)
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
