package user

import (
	"os"
	"strconv"
)

// Where no /etc/passwd is granted there is one user, the program's own, and its group.

// gyrUserError is the error for all others; what it wraps is that of any system.
type gyrUserError struct{ error }

func (e gyrUserError) Error() string {
	return e.error.Error() + ": this sandbox has none but the program's own"
}
func (e gyrUserError) Unwrap() error { return e.error }

// gyrName is what the only user and its group are called.
func gyrName() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "user"
}

func gyrSelf() *User {
	home, _ := os.UserHomeDir()
	return &User{Uid: currentUID(), Gid: currentGID(), Username: gyrName(), HomeDir: home}
}

func lookupUser(username string) (*User, error) {
	f, err := os.Open(userFile)
	if err == nil {
		defer f.Close()
		return findUsername(username, f)
	}
	if username == gyrName() {
		return gyrSelf(), nil
	}
	return nil, gyrUserError{UnknownUserError(username)}
}

func lookupUserId(uid string) (*User, error) {
	f, err := os.Open(userFile)
	if err == nil {
		defer f.Close()
		return findUserId(uid, f)
	}
	n, err := strconv.Atoi(uid)
	switch {
	case err != nil:
		return nil, err
	case uid == currentUID():
		return gyrSelf(), nil
	}
	return nil, gyrUserError{UnknownUserIdError(n)}
}

func lookupGroup(groupname string) (*Group, error) {
	f, err := os.Open(groupFile)
	if err == nil {
		defer f.Close()
		return findGroupName(groupname, f)
	}
	if groupname == gyrName() {
		return &Group{Gid: currentGID(), Name: groupname}, nil
	}
	return nil, gyrUserError{UnknownGroupError(groupname)}
}

func lookupGroupId(id string) (*Group, error) {
	f, err := os.Open(groupFile)
	if err == nil {
		defer f.Close()
		return findGroupId(id, f)
	}
	if id == currentGID() {
		return &Group{Gid: id, Name: gyrName()}, nil
	}
	return nil, gyrUserError{UnknownGroupIdError(id)}
}

func listGroups(u *User) ([]string, error) {
	f, err := os.Open(groupFile)
	if err != nil {
		return []string{u.Gid}, nil
	}
	defer f.Close()
	return listGroupsFromReader(u, f)
}
