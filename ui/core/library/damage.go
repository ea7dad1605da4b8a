package library

import "time"

// A DamageKind is the kind of a Damage.
type DamageKind string

// The kinds of damage.
const (
	DamagedDatabase DamageKind = "database" // set aside and rebuilt
	DamagedJournal  DamageKind = "journal"  // set aside and rebuilt, or damaged lines skipped
	DamagedImage    DamageKind = "image"    // the file is missing or has changed
	LostFile        DamageKind = "lost"     // a file without a row
	QuotaReached    DamageKind = "quota"    // images were deleted to stay within the quota
)

// Damage describes data that is damaged or that the library had to delete.
type Damage struct {
	Kind     DamageKind
	Path     string   // of the damaged file; empty for QuotaReached
	SetAside string   // its new path, if it was set aside
	Detail   string   // what was found and what was done, in English
	Images   []string // ids of the affected images, if there are few
	At       time.Time
}
