package research

import (
	"maps"
	"os"
	"strings"
)

// Settings apply to a candidate's builds and runs in addition to its tree: variables of the
// environment, by their names, and values for the linker, by linkSetting and the variable's import
// path. A sweep proposes them. The row and the commit's trailer record them, and the parent uses
// those of the branch's tip.
type settings map[string]string

// linkSetting is the prefix of the name of a linker setting.
const linkSetting = "-X "

// environ are the variables that checks and benchmarks get for the settings.
func (set settings) environ() map[string]string {
	env := map[string]string{}
	var link []string
	for _, name := range sortedKeys(set) {
		if variable, ok := strings.CutPrefix(name, linkSetting); ok {
			link = append(link, linkSetting+variable+"="+set[name])
		} else {
			env[name] = set[name]
		}
	}
	if len(link) > 0 {
		env[goFlags] = "'-ldflags=" + strings.Join(link, " ") + "'"
	}
	return env
}

// and joins the settings' variables with others. The others win.
func (set settings) and(more map[string]string) map[string]string {
	env := set.environ()
	for name, value := range more {
		if name == goFlags {
			value = strings.TrimSpace(env[goFlags] + " " + value)
		}
		env[name] = value
	}
	return env
}

// String is the settings on one line, for a trailer.
func (set settings) String() string {
	var words []string
	for _, name := range sortedKeys(set) {
		words = append(words, name+"="+set[name])
	}
	return strings.Join(words, " ")
}

func (set settings) equal(other settings) bool { return maps.Equal(set, other) }

// dress gives a side its settings for builds and runs.
func (d *side) dress(set settings) error {
	if d.settings.equal(set) {
		return nil
	}
	d.settings, d.built = set, map[string]binary{}
	return os.RemoveAll(d.bin)
}

// settingsOf are the settings of a branch with only some of the keeps: the changes that each of
// these made to the settings before it.
func (s *Session) settingsOf(with func(run int) bool) settings {
	set, before := settings{}, settings{}
	for _, r := range s.state.keeps() {
		for name, value := range r.Settings {
			if was, ok := before[name]; with(r.Run) && (!ok || was != value) {
				set[name] = value
			}
		}
		before = r.Settings
	}
	return set
}

// settingsWithout are the settings of the branch's tip without one keep. They are entangled if that
// keep made some and later ones made all of these again.
func (s *Session) settingsWithout(run int) (set settings, entangled bool) {
	set = s.settingsOf(func(r int) bool { return r != run })
	alone := s.settingsOf(func(r int) bool { return r == run })
	return set, len(alone) > 0 && set.equal(s.state.settings)
}
