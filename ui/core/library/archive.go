package library

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"
	"time"

	"easel/ui/core/library/naming"
	"easel/ui/core/library/output"
)

// An archive is a ZIP file with a whole library; docs/files.md describes it:
//
//	images/HASH.EXT        the files of images, named by the hash of their bytes
//	output/ID.STREAM       the output of executions
//	library.jsonl          the records, in the form of the journal
//	contents.json          what is in it; see Contents
const (
	archiveFormat   = 1 // increases when an older Easel would misread an archive
	archiveContents = "contents.json"
	archiveOutput   = "output/"
	archiveImages   = "images/"
)

// Errors of archives.
var (
	// ErrNoArchive is returned for a file that is no archive of a library, or one that is cut off or
	// damaged.
	ErrNoArchive = errors.New("not a whole export of a library")
	// ErrNewerArchive is returned for an archive of a newer Easel.
	ErrNewerArchive = errors.New("a newer version of Easel has written the export")
)

// Contents describe an archive.
type Contents struct {
	Format  int       `json:"easel_library_export"`
	Schema  int       `json:"schema"` // of the records
	Easel   string    `json:"easel"`  // the version that wrote it
	At      time.Time `json:"at"`
	Records Counts    `json:"records"`
	Lines   int       `json:"lines"`  // of library.jsonl
	Sum     string    `json:"sha256"` // of library.jsonl
	Files   int       `json:"files"`  // images and outputs
	Bytes   int64     `json:"bytes"`  // of those, not compressed
	Missing int       `json:"missing,omitempty"`
}

// Counts are numbers of records.
type Counts struct {
	Sessions   int `json:"sessions"`
	Executions int `json:"executions"`
	Images     int `json:"images"` // with the versions of figures
	Judgements int `json:"judgements"`
	Pictures   int `json:"pictures"` // files on disk that have stars or tags
	Questions  int `json:"questions"`
	Checks     int `json:"checks"`
}

// count counts a record.
func (c *Counts) count(r record) {
	switch {
	case r.Session != nil:
		c.Sessions++
	case r.Execution != nil:
		c.Executions++
	case r.Image != nil:
		c.Images++
	case r.Annotation != nil:
		c.Judgements++
	case r.File != nil:
		c.Pictures++
	case r.Question != nil:
		c.Questions++
	case r.Check != nil:
		c.Checks++
	}
}

// A Progress is called with the bytes done so far, of all.
type Progress func(done, all int64)

// An archive is an open archive.
type archive struct {
	contents Contents
	images   map[string]*zip.File // by the names of their files
	outputs  map[string]*zip.File // by ID.STREAM
	journal  *zip.File
	all      int64 // bytes of all files, not compressed
}

var (
	imageEntry  = regexp.MustCompile(`^images/((?:[0-9a-f]{32}|[0-9a-f]{64})\.[a-z0-9]{1,8})$`)
	outputEntry = regexp.MustCompile(`^output/(.+)\.(` + strings.Join(streams, "|") + `)$`)
	streams     = []string{output.Stdout, output.Stderr, output.Displays, output.Outputs}
)

// broken returns an ErrNoArchive.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoArchive, fmt.Sprintf(format, args...))
}

// openArchive reads what is in an archive. It accepts only names that an export writes, so that none
// leads out of the library.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, broken("it is no ZIP file, or its end is missing")
	}
	a := &archive{images: make(map[string]*zip.File), outputs: make(map[string]*zip.File)}
	var contents *zip.File
	for _, f := range z.File {
		a.all += int64(min(f.UncompressedSize64, 1<<62))
		twice := false
		switch image, out := imageEntry.FindStringSubmatch(f.Name), outputEntry.FindStringSubmatch(f.Name); {
		case image != nil:
			twice = a.images[image[1]] != nil
			a.images[image[1]] = f
		case out != nil && naming.CheckKey("execution", out[1]) == nil:
			name := strings.TrimPrefix(f.Name, archiveOutput)
			twice = a.outputs[name] != nil
			a.outputs[name] = f
		case f.Name == journalFile:
			twice, a.journal = a.journal != nil, f
		case f.Name == archiveContents:
			twice, contents = contents != nil, f
		default:
			return nil, broken("it has a file %.200q, which no export has", f.Name)
		}
		if twice {
			return nil, broken("it has %.200q twice", f.Name)
		}
	}
	if contents == nil || a.journal == nil {
		return nil, broken("it has no %s or no %s", archiveContents, journalFile)
	}
	return a, a.readContents(contents)
}

// mostContents is the largest size of contents.json, in bytes.
const mostContents = 1 << 20

func (a *archive) readContents(f *zip.File) error {
	raw, err := readEntry(f, mostContents)
	if err != nil {
		return err
	}
	var c Contents
	if err := json.Unmarshal(raw, &c); err != nil || c.Format < 1 {
		return broken("its %s cannot be read", archiveContents)
	}
	a.contents = c
	if c.Format > archiveFormat || c.Schema > len(migrations) {
		return fmt.Errorf("%w: version %.40q (format %d, schema %d; this one knows %d and %d). Update Easel, then import it again",
			ErrNewerArchive, c.Easel, c.Format, c.Schema, archiveFormat, len(migrations))
	}
	if c.Files != len(a.images)+len(a.outputs) {
		return broken("it has %d files of plots and output instead of %d", len(a.images)+len(a.outputs), c.Files)
	}
	return nil
}

// readEntry reads a small file of an archive.
func readEntry(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, broken("%s: %v", f.Name, err)
	}
	defer r.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil || int64(len(raw)) > most {
		return nil, broken("%s cannot be read, or is too large", f.Name)
	}
	return raw, nil
}

// check reads the whole archive and returns an error unless every file and record is as it was written.
func (a *archive) check(ctx context.Context, done func(n int64)) error {
	for name, f := range a.images {
		sum := sha256.New()
		if err := copyEntry(ctx, sum, f, done); err != nil {
			return err
		}
		if hashed, _, _ := strings.Cut(name, "."); !strings.HasPrefix(hex.EncodeToString(sum.Sum(nil)), hashed) {
			return broken("%s is damaged", f.Name)
		}
	}
	for _, f := range a.outputs {
		if err := copyEntry(ctx, io.Discard, f, done); err != nil {
			return err
		}
	}
	var counts Counts
	lines, sum, err := a.records(ctx, func(r record) error {
		counts.count(r)
		return a.valid(r)
	})
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != a.contents.Sum || lines != a.contents.Lines || counts != a.contents.Records {
		return broken("%s is not the one that %s describes", journalFile, archiveContents)
	}
	done(int64(a.journal.UncompressedSize64))
	return nil
}

// copyEntry copies a file of an archive, and checks its checksum.
func copyEntry(ctx context.Context, to io.Writer, f *zip.File, done func(n int64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return broken("%s: %v", f.Name, err)
	}
	defer r.Close() //nolint:errcheck // only read
	size := int64(f.UncompressedSize64)
	n, err := io.Copy(to, io.LimitReader(r, size+1))
	if err == nil && n > size {
		err = zip.ErrFormat
	}
	if err != nil {
		if errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, zip.ErrFormat) {
			err = broken("%s is damaged", f.Name)
		}
		return err
	}
	done(n)
	return nil
}

// records calls f with each record, and returns how many lines there are and their checksum.
func (a *archive) records(ctx context.Context, f func(record) error) (lines int, sum hash.Hash, err error) {
	r, err := a.journal.Open()
	if err != nil {
		return 0, nil, broken("%s: %v", journalFile, err)
	}
	defer r.Close() //nolint:errcheck // only read
	sum = sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, sum), 256<<10)
	for ; ctx.Err() == nil; lines++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return lines, sum, nil
		}
		if err != nil {
			return lines, sum, broken("line %d of %s is cut off", lines+1, journalFile)
		}
		payload, _, ok := parseLine(line)
		if !ok {
			return lines, sum, broken("line %d of %s is damaged", lines+1, journalFile)
		}
		if lines == 0 {
			continue // the journal's version; contents.json has that of the archive
		}
		var rec record
		if err := json.Unmarshal(payload, &rec); err != nil {
			return lines, sum, broken("line %d of %s: %v", lines+1, journalFile, err)
		}
		if err := f(rec); err != nil {
			return lines, sum, err
		}
	}
	return lines, sum, ctx.Err()
}

// valid returns an error for a record that no export has, for example one that would name a file
// elsewhere.
func (a *archive) valid(r record) error {
	key := func(what, id string) error {
		if naming.CheckKey(what, id) != nil {
			return broken("it names a %s %.120q", what, id)
		}
		return nil
	}
	switch {
	case r.Session != nil:
		return key("session", r.Session.ID)
	case r.Execution != nil:
		return errors.Join(key("execution", r.Execution.ID), key("session", r.Execution.SessionID))
	case r.Image != nil:
		return errors.Join(key("plot", r.Image.ID), key("session", r.Image.Session), a.has(r.Image.ID, r.Image.Forms))
	case r.Check != nil && r.Check.Fresh != nil:
		return a.has(r.Check.ID, []formRecord{*r.Check.Fresh})
	case r.Annotation != nil && r.Annotation.Rating != nil && (*r.Annotation.Rating < 0 || *r.Annotation.Rating > MaxRating),
		r.File != nil && (r.File.Rating < 0 || r.File.Rating > MaxRating || len(r.File.Hash) != 2*sha256.Size):
		return broken("it has an impossible judgement")
	case r.Trash == nil && r.Session == nil && r.Annotation == nil && r.File == nil && r.Question == nil && r.Check == nil &&
		r.Environment == nil:
		return broken("it has a record that no export has")
	}
	return nil
}

// has returns an error unless the archive has the files of an image.
func (a *archive) has(id string, forms []formRecord) error {
	if len(forms) == 0 {
		return broken("the plot %s has no picture", id)
	}
	for _, f := range forms {
		if isFigure(f) {
			return broken("the plot %s has a stored figure", id)
		}
		if a.images[f.name()] == nil {
			return broken("the file %.100q of the plot %s is missing", f.name(), id)
		}
	}
	return nil
}
