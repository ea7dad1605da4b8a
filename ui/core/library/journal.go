package library

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strconv"
)

// journalVersion grows when an older Easel would misread the journal. A new kind of
// record is no reason: unknown ones are passed over.
const journalVersion = 1

// journalFirst is the payload of the first line.
const journalFirst = `{"easel_library":1}`

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A place is where a line of the journal lies, with its checksum: what a database
// notes, to find its place again and to see that it is the same journal.
type place struct {
	start, end int64
	sum        uint32
}

// A journal is the file that every fact is appended to. Its lines are a checksum in
// eight hexadecimal digits, a space, JSON, a newline. Its users take turns.
type journal struct {
	disk disk
	file *os.File
	size int64
	torn int64 // bytes of an unfinished last line that open cut off
	sick error // set when the file could not be restored after a failed write
	late bool  // not all is on the disk
	made bool  // there was none
}

// openJournal opens the journal, or makes it. A last line without its end is what
// was being written when Easel died: nobody was told of it, so it goes.
func openJournal(d disk, path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{disk: d, file: f}
	if err := j.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), f.Close())
	}
	return j, nil
}

func (j *journal) prepare() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.size = info.Size()
	whole, err := j.lastNewline()
	if err != nil {
		return err
	}
	if err := j.refuseNewer(); err != nil {
		return err
	}
	if whole < j.size {
		if err := j.file.Truncate(whole); err != nil {
			return err
		}
		j.torn, j.size = j.size-whole, whole
	}
	if j.size == 0 {
		j.made = true
		_, err := j.append([][]byte{[]byte(journalFirst)}, true)
		return err
	}
	return nil
}

// refuseNewer looks at the first line, before anything is touched.
func (j *journal) refuseNewer() error {
	head := make([]byte, 128)
	n, err := j.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line, _, found := bytes.Cut(head[:n], []byte("\n"))
	var first struct {
		Version int `json:"easel_library"`
	}
	payload, _, ok := parseLine(append(slices.Clip(line), '\n'))
	if !found || !ok || json.Unmarshal(payload, &first) != nil {
		return nil //nolint:nilerr // damaged: replay tells
	}
	if first.Version > journalVersion {
		return fmt.Errorf("%w (journal %d, this one knows %d)", ErrNewer, first.Version, journalVersion)
	}
	return nil
}

// lastNewline finds the end of the last line that has one.
func (j *journal) lastNewline() (int64, error) {
	block := make([]byte, 64<<10)
	for end := j.size; end > 0; {
		start := max(0, end-int64(len(block)))
		b := block[:end-start]
		if _, err := j.file.ReadAt(b, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// append writes lines at the end, all or none, and says where the last one lies. With
// durable they are on the disk when it returns.
func (j *journal) append(payloads [][]byte, durable bool) (place, error) {
	if j.sick != nil {
		return place{}, j.sick
	}
	var b bytes.Buffer
	var last place
	for _, p := range payloads {
		last = place{start: j.size + int64(b.Len()), sum: crc32.Checksum(p, castagnoli)}
		fmt.Fprintf(&b, "%08x ", last.sum)
		b.Write(p)
		b.WriteByte('\n')
		last.end = j.size + int64(b.Len())
	}
	if _, err := j.file.Seek(j.size, io.SeekStart); err != nil {
		return place{}, err
	}
	if _, err := j.disk.Write(j.file, b.Bytes()); err != nil {
		return place{}, errors.Join(asFull(err), j.cut(j.size))
	}
	if durable {
		if err := j.disk.Sync(j.file); err != nil {
			return place{}, errors.Join(asFull(err), j.cut(j.size))
		}
	}
	j.late = !durable
	j.size = last.end
	return last, nil
}

// cut takes back what was appended after size. Where that fails nothing more may be
// appended: it would follow a line that nobody was told of, or half a one.
func (j *journal) cut(size int64) error {
	if err := j.file.Truncate(size); err != nil {
		j.sick = fmt.Errorf("journal cannot be restored: %w", err)
		return j.sick
	}
	j.size = size
	return nil
}

// sync brings the journal to the disk.
func (j *journal) sync() error {
	if !j.late {
		return nil
	}
	if err := j.disk.Sync(j.file); err != nil {
		return fmt.Errorf("journal: %w", asFull(err))
	}
	j.late = false
	return nil
}

func (j *journal) close() error {
	return errors.Join(j.sync(), j.file.Close())
}

// holds tells whether the journal has that very line at that place.
func (j *journal) holds(p place) bool {
	if p == (place{}) {
		return true
	}
	if p.start < 0 || p.end <= p.start || p.end > j.size {
		return false
	}
	line := make([]byte, p.end-p.start)
	if _, err := j.file.ReadAt(line, p.start); err != nil {
		return false
	}
	_, sum, ok := parseLine(line)
	return ok && sum == p.sum
}

// read calls f with each line's payload from offset on and its place; bad counts
// the lines that are not as they were written, which are passed over.
func (j *journal) read(from int64, f func([]byte, place) error) (bad int, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, from, j.size-from), 256<<10)
	for at := from; ; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return bad, nil
		}
		if err != nil {
			return bad, fmt.Errorf("read the journal: %w", err)
		}
		p := place{start: at, end: at + int64(len(line))}
		at = p.end
		payload, sum, ok := parseLine(line)
		if !ok {
			bad++
			continue
		}
		p.sum = sum
		if err := f(payload, p); err != nil {
			return bad, err
		}
	}
}

// parseLine takes a line apart and checks it.
func parseLine(line []byte) (payload []byte, sum uint32, ok bool) {
	const head = 9
	if len(line) <= head || line[head-1] != ' ' || line[len(line)-1] != '\n' {
		return nil, 0, false
	}
	want, err := strconv.ParseUint(string(line[:head-1]), 16, 32)
	if err != nil {
		return nil, 0, false
	}
	payload = line[head : len(line)-1]
	sum = crc32.Checksum(payload, castagnoli)
	return payload, sum, sum == uint32(want)
}
