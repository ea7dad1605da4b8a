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

	"easel/ui/core/library/disk"
)

// journalVersion increases when an older Easel would misread the journal. A new kind of
// record does not require that: unknown kinds are skipped.
const journalVersion = 1

// journalFirst is the payload of the first line. The schema is that of the database which
// was used with the new journal.
var journalFirst = fmt.Sprintf(`{"easel_library":%d,"schema":%d}`, journalVersion, len(migrations))

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A place is the position of a line in the journal, with the line's checksum. The
// database stores it to continue from there and to detect another journal.
type place struct {
	start, end int64
	sum        uint32
}

// A journal is the file to which every change is appended. A line is a checksum in eight
// hexadecimal digits, a space, JSON, and a newline. It is not safe for concurrent use.
type journal struct {
	disk disk.Disk
	file *os.File
	size int64
	sick error // set when the file could not be restored after a failed write
	late bool  // some lines have not been synced
	made bool  // it was created
}

// openJournal opens or creates the journal. It removes an incomplete last line: Easel
// exited while writing it, so the change was never acknowledged.
func openJournal(d disk.Disk, path string) (*journal, error) {
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
		j.size = whole
	}
	if j.size == 0 {
		j.made = true
		_, err := j.append([][]byte{[]byte(journalFirst)}, true)
		return err
	}
	return nil
}

// refuseNewer checks the version in the first line before anything is changed.
func (j *journal) refuseNewer() error {
	head := make([]byte, 128)
	n, err := j.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line, _, found := bytes.Cut(head[:n], []byte("\n"))
	var first struct {
		Version int `json:"easel_library"`
		Schema  int `json:"schema"`
	}
	payload, _, ok := parseLine(append(slices.Clip(line), '\n'))
	if !found || !ok || json.Unmarshal(payload, &first) != nil {
		return nil //nolint:nilerr // damaged: replay reports it
	}
	if first.Version > journalVersion {
		return fmt.Errorf("%w (its journal has version %d; this one knows %d)", ErrNewer, first.Version, journalVersion)
	}
	return refuseSchema(first.Schema)
}

// lastNewline returns the end of the last complete line.
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

// append writes lines at the end, all or none, and returns the place of the last one. If
// durable, it syncs them before it returns.
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

// cut removes what was appended after size. If that fails, appending is disabled, because
// new lines would follow an incomplete or unacknowledged one.
func (j *journal) cut(size int64) error {
	if err := j.file.Truncate(size); err != nil {
		j.sick = fmt.Errorf("journal cannot be restored: %w", err)
		return j.sick
	}
	j.size = size
	return nil
}

// sync syncs the journal to the disk.
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

// holds reports whether the journal has the line of this place.
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

// read calls f with the payload and place of each line from offset on. It skips damaged
// lines and returns their number in bad.
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

// parseLine splits a line and verifies its checksum.
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
