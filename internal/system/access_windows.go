package system

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// MkdirPrivate creates a directory that only the user and the system can read, and its
// parents. What is created in it later inherits that. If the directory exists, MkdirPrivate
// changes its access list and those of its files, unless it is already private.
func MkdirPrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	list, err := privateList("OICI") // inherited by files and directories
	if err != nil {
		return restrictError(dir, err)
	}
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return restrictError(dir, err)
	}
	attributes := windows.SecurityAttributes{SecurityDescriptor: list}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	err = windows.CreateDirectory(name, &attributes)
	if !errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return restrictError(dir, err)
	}
	return restrict(dir, list)
}

// OpenToOthers returns 0: MkdirPrivate changes the access list of an existing directory.
func OpenToOthers(string) os.FileMode { return 0 }

// MakePrivate lets only the user and the system read an existing file.
func MakePrivate(file string) error {
	list, err := privateList("")
	if err != nil {
		return restrictError(file, err)
	}
	return restrict(file, list)
}

func restrictError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: "restrict", Path: path, Err: err}
}

// privateList returns an access list that allows everything to those whom trusted returns,
// and inherits nothing from the directory above (P).
func privateList(flags string) (*windows.SECURITY_DESCRIPTOR, error) {
	allowed, err := trusted()
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	text.WriteString("D:P")
	for _, sid := range allowed {
		text.WriteString("(A;" + flags + ";FA;;;" + sid.String() + ")")
	}
	return windows.SecurityDescriptorFromString(text.String())
}

// restrict gives path the access list, and what is below it, unless it has it already.
func restrict(path string, list *windows.SECURITY_DESCRIPTOR) error {
	allowed, err := trusted()
	if err != nil {
		return restrictError(path, err)
	}
	if got, err := readers(path); err == nil && len(got) > 0 && within(got, allowed) {
		return nil
	}
	acl, _, err := list.DACL()
	if err != nil {
		return restrictError(path, err)
	}
	return restrictError(path, windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, acl, nil))
}

// trusted returns who may read private files: the user, and the system, which makes
// backups.
func trusted() ([]*windows.SID, error) {
	me, err := user()
	if err != nil {
		return nil, err
	}
	system, err := windows.CreateWellKnownSid(windows.WinLocalSystemSid)
	if err != nil {
		return nil, err
	}
	if me.Equals(system) {
		return []*windows.SID{me}, nil
	}
	return []*windows.SID{me, system}, nil
}

func user() (*windows.SID, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return u.User.Sid, nil
}

// readers returns whom the access list of path allows something.
func readers(path string) (sids []*windows.SID, err error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return nil, err
	}
	if acl == nil { // everybody may do everything
		world, err := windows.CreateWellKnownSid(windows.WinWorldSid)
		return []*windows.SID{world}, err
	}
	for i := range uint32(acl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(acl, i, &ace); err != nil {
			return nil, err
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
			continue
		}
		sid, err := (*windows.SID)(unsafe.Pointer(&ace.SidStart)).Copy() //nolint:gosec // the SID begins there
		if err != nil {
			return nil, err
		}
		sids = append(sids, sid)
	}
	return sids, nil
}

// within reports whether all of a are in b.
func within(a, b []*windows.SID) bool {
	return !slices.ContainsFunc(a, func(x *windows.SID) bool { return !slices.ContainsFunc(b, x.Equals) })
}

// OwnedByUser reports whether a file or directory belongs to this user. What an
// administrator's program creates belongs to the administrators.
func OwnedByUser(path string, _ os.FileInfo) bool {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := sd.Owner()
	if err != nil || owner == nil {
		return false
	}
	me, err := user()
	if err != nil {
		return false
	}
	return owner.Equals(me) || owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.IsWellKnown(windows.WinLocalSystemSid)
}
