package record

import (
	"maps"
	"slices"
	"strings"

	"easel/mcphost/tool"
)

// projects are names that people give to their own files; a package of that name is another.
var projects = map[string]bool{
	"app": true, "common": true, "config": true, "constants": true, "core": true, "data": true, "functions": true, "helper": true,
	"helpers": true, "lib": true, "main": true, "model": true, "models": true, "preprocessing": true, "settings": true, "src": true,
	"test": true, "tests": true, "tools": true, "util": true, "utils": true,
}

// packageOf gives the packages whose name on PyPI is not that of their module. A module with a
// dot belongs to a package of its own inside a shared namespace.
var packageOf = map[string]string{
	"absl": "absl-py", "attr": "attrs", "bs4": "beautifulsoup4", "Bio": "biopython", "cairo": "pycairo", "Crypto": "pycryptodome",
	"Cryptodome": "pycryptodomex", "cv2": "opencv-python-headless", "dateutil": "python-dateutil", "docx": "python-docx",
	"dotenv": "python-dotenv", "faiss": "faiss-cpu", "fitz": "PyMuPDF", "git": "GitPython",
	"hydra": "hydra-core", "ibis": "ibis-framework", "jose": "python-jose", "jwt": "PyJWT",
	"magic": "python-magic", "mpl_toolkits.basemap": "basemap", "MySQLdb": "mysqlclient", "OpenSSL": "pyOpenSSL", "osgeo": "GDAL",
	"pdfminer": "pdfminer.six", "pyro": "pyro-ppl", "scvi": "scvi-tools", "shapefile": "pyshp",
	"PIL": "pillow", "pkg_resources": "setuptools", "pptx": "python-pptx", "psycopg2": "psycopg2-binary", "pywt": "PyWavelets",
	"rest_framework": "djangorestframework", "serial": "pyserial", "skimage": "scikit-image", "sklearn": "scikit-learn",
	"skopt": "scikit-optimize", "slugify": "python-slugify", "google.protobuf": "protobuf", "umap": "umap-learn", "usb": "pyusb",
	"win32com": "pywin32", "wx": "wxPython", "yaml": "PyYAML", "zmq": "pyzmq", "ruamel.yaml": "ruamel.yaml",
}

// standardGone are modules that newer versions of Python have no more, and that pip has not either.
var standardGone = map[string]string{
	"distutils": "Python 3.12 has no distutils: %pip install setuptools provides it; then import it again.",
	"imp":       "Python 3.12 has no imp: use importlib.",
	"tkinter":   "tkinter comes with Python itself, not from pip, and Easel shows plots without it: leave out matplotlib.use(\"TkAgg\").",
}

// distribution returns the package on PyPI that has a module, if Easel knows it. Any other may be a stranger's:
// names that are nearly those of others, or that only a project uses, are what attackers register.
func distribution(module string) (name string, ok bool) {
	if name, ok = packageOf[module]; ok {
		return name, true
	}
	if !wellKnown[module] {
		return "", false
	}
	return strings.ReplaceAll(module, "_", "-"), true
}

// nearly returns a well-known module whose name is nearly the given one, or "".
func nearly(module string) string {
	return tool.Misspelt(module, slices.Concat(slices.Sorted(maps.Keys(wellKnown)), slices.Sorted(maps.Keys(packageOf))))
}

// wellKnown are modules of well-known packages that have the same name, but for its hyphens.
var wellKnown = set(`
adlfs affine aiofiles aiohttp altair anndata ansible anthropic anyio apscheduler arch argcomplete arrow arviz asdf
asgiref astropy asyncpg authlib autograd awkward azure babel bambi bcrypt beanie billiard black blinker blosc2 bokeh
boto3 botocore bottleneck bqplot branca brotli cachetools cartopy catboost causalml celery cellpose certifi cffi
cftime chardet charset_normalizer chart_studio cirq click clickhouse_connect cloudpickle cloudscraper cmcrameri
cmocean colorama colorcet coloredlogs colorlog contextily contourpy coverage crewai cryptography cvxopt cvxpy cycler
cython dacite dagster dash dask datasets datashader dateparser deap deepdiff delta_sharing deltalake descartes
diffusers dill distributed django dnspython docker dominate duckdb easyocr einops eli5 emcee ephem equinox esda
evaluate evidently exifread faker fastai fastapi fastavro fastcluster fasttext featuretools filelock filterpy fiona
flask flax folium formulaic fpdf fsspec funcy fuzzywuzzy gcsfs gdown geemap gensim geojson geopandas geoplot geopy
geoviews gevent glom gmsh gpytorch gradio graphviz great_expectations great_tables greenlet gspread gunicorn gurobipy
gym gymnasium h2o h3 h5netcdf h5py hdbscan healpy highspy hmmlearn holidays holoviews html5lib httplib2 httpx
huggingface_hub humanize hvplot hyperopt hypothesis imageio imblearn imgaug iminuit implicit inflect ipycytoscape
ipyleaflet ipympl ipyparallel ipyvolume ipyvuetify ipywidgets itables itsdangerous jax jaxlib jieba jinja2 joblib
jsonlines jsonpickle jsonschema jupyter_client kaggle kagglehub kaleido keras kornia kubernetes langchain
langchain_community langchain_core langchain_openai langdetect langgraph lazy_loader librosa lifelines lightgbm
lightning lime line_profiler linearmodels litellm llama_index llvmlite lmfit loguru lxml mapclassify marimo markdown
markdownify markupsafe marshmallow matplotlib matplotlib_venn mdtraj memory_profiler mesa meteostat metpy missingno
mistune mlflow mlxtend mne mongoengine more_itertools moto motor mplcursors mpld3 mplfinance mplhep mpmath msgpack
msgspec multidict multiprocess mxnet mypy nbclient nbconvert nbformat neo4j netCDF4 networkx neuralprophet nibabel
nilearn nltk notebook ntplib nuitka numba numdifftools numexpr numpy numpyro oauthlib odfpy onnx onnxruntime openai
openmm openpyxl optuna orjson ortools osmnx outlines pandarallel pandas pandas_datareader pandas_ta pandasql pandera
panel papermill param paramiko parse parso pathos patsy pdfplumber peewee pendulum pexpect pgmpy pika pingouin pint
playwright plotly plotnine pluggy pmdarima polars pooch portalocker powerlaw prefect prettytable prophet psutil
psycopg py4j pyamg pyarrow pybaseball pybind11 pycaret pycountry pydantic pydantic_settings pydeck pydicom pydot pydub
pyfftw pygad pygal pyglet pygments pygmt pygraphviz pymannkendall pymatgen pymc pymc3 pymongo pymssql pymysql
pynndescent pyodbc pyomo pyparsing pypdf PyPDF2 pyperclip pyproj pyqtgraph pyreadr pyreadstat pysal pyspark pystan
pytesseract pytest pytorch_lightning pytz pyvis pyvista pyxlsb rasterio rasterstats ray rdkit redis regex reportlab
requests requests_cache retrying rich rioxarray rope rpy2 ruptures s3fs sacrebleu sacremoses sanic scanpy scapy
schedule scienceplots scikit_posthocs scipy scrapy seaborn selenium sentence_transformers sentencepiece setuptools
sgp4 shap shapely shiny simplejson simpy six sktime snscrape sortedcontainers soundfile soupsieve spacy sqlalchemy
sqlglot sqlmodel squarify stanza starlette statsforecast statsmodels streamlit stumpy sunpy sweetviz sympy tables
tabulate tenacity tensorboard tensorflow tensorflow_probability termcolor textblob textdistance textstat thefuzz thop
tiktoken timm tokenizers toml tomli tomlkit toolz torch torchaudio torchmetrics torchvision tornado tqdm traitlets
traittypes transformers trimesh trio trl tsfresh tslearn tweepy typer typing_extensions tzlocal ujson uncertainties
unidecode upsetplot urllib3 uvicorn vaex vega_datasets visions vispy vtk wandb watchdog webcolors websocket websockets
werkzeug widgetsnbextension wikipedia wordcloud wrapt xarray xgboost xlrd xlsxwriter xlwt xmltodict xyzservices yarl
ydata_profiling yellowbrick yfinance zarr zstandard
`)

func set(words string) map[string]bool {
	in := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		in[w] = true
	}
	return in
}
