package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// This file compares what gyr has in place of declarations of std, and what it repeats of them.

// exports returns the exported declarations of replaced packages, with fields and methods.
func (c *comparison) exports(in *install) items {
	list := items{}
	for _, path := range c.ours.overlaid {
		p := in.pkg(path)
		for _, d := range p.sorted() {
			recv, _, method := strings.Cut(d.name, ".")
			if !d.id.IsExported() || method && !ast.IsExported(recv) {
				continue
			}
			if d.tok != token.TYPE {
				list[path+"."+d.name] = item{d.sig(), d.pos()}
				continue
			}
			st, ok := d.spec.(*ast.TypeSpec).Type.(*ast.StructType)
			if !ok {
				list[path+"."+d.name] = item{"type " + d.sig(), d.pos()}
				continue
			}
			list[path+"."+d.name] = item{"type struct", d.pos()}
			for _, f := range st.Fields.List {
				for _, id := range f.Names {
					if id.IsExported() {
						list[path+"."+d.name+"."+id.Name] = item{"field " + typeString(f.Type), in.at(d.file, id.Pos())}
					}
				}
			}
		}
	}
	return list
}

func compareExports(c *comparison) {
	guest := c.exports(c.ours.guest(c.new))
	c.diff("export", c.exports(c.old), c.exports(c.new), func(name string, now item) string {
		switch got, ok := guest[name]; {
		case !ok:
			return "gyr's package does not have it"
		case got.text != now.text:
			return fmt.Sprintf("%s has %s", got.pos, shorten(got.text))
		}
		return ""
	})
}

// methodName matches the method in a symbol.
var methodName = regexp.MustCompile(`^\(?\*?(\w+)\)?\.(\w+)$`)

// named returns the declarations that gyr's sources name.
func (c *comparison) named(in *install) (sigs, codes items) {
	sigs, codes = items{}, items{}
	add := func(d *decl) {
		name := d.symbol()
		sig := d.sig()
		if d.bodyless() {
			sig += " without body"
		}
		sigs[name] = item{sig, d.pos()}
		codes[name] = item{d.code(), d.pos()}
	}
	for _, s := range c.ours.named {
		pkg, name := splitSymbol(s)
		p := in.pkgs[pkg]
		switch {
		case p == nil || c.ours.replaces(pkg) || !slices.Contains(in.std, pkg):
		case name == "":
			for _, d := range p.sorted() {
				if d.fn != nil && d.id.IsExported() && d.fn.Recv == nil {
					add(d)
				}
			}
		default:
			if m := methodName.FindStringSubmatch(name); m != nil {
				name = m[1] + "." + m[2]
			}
			if d := p.decls[name]; d != nil {
				add(d)
			}
		}
	}
	return sigs, codes
}

// diffBodies compares declarations that gyr names: by their signatures and, if these are equal, by
// their bodies. A declaration in the new installation alone is no finding: it has come back, or gyr
// has it for this release.
func (c *comparison) diffBodies(kind string, was, is, wasCode, isCode items) {
	for name, i := range is {
		w, ok := was[name]
		if !ok {
			delete(is, name)
		} else if w.text == i.text && wasCode[name].text != isCode[name].text {
			was[name] = item{"another body", w.pos}
			is[name] = item{i.text + ": read its body", i.pos}
		}
	}
	at := len(c.findings)
	c.diff(kind, was, is, nil)
	for i := range c.findings[at:] {
		f := &c.findings[at+i]
		f.now += isCode[f.Name].text
	}
}

func compareTargets(c *comparison) {
	was, wasCode := c.named(c.old)
	is, isCode := c.named(c.new)
	c.diffBodies("target", was, is, wasCode, isCode)
}

// answered returns the declarations of an installation that gyr has answers for.
func (c *comparison) answered(in *install) (sigs, codes items) {
	sigs, codes = items{}, items{}
	for pkg := range c.ours.answers {
		for _, n := range slices.Concat(c.ours.answerNames(c.old, pkg), c.ours.answerNames(c.new, pkg)) {
			if d := in.decl(pkg, n); d != nil {
				sigs[pkg+"."+n] = item{d.sig(), d.pos()}
				codes[pkg+"."+n] = item{d.code(), d.pos()}
			}
		}
	}
	return sigs, codes
}

func compareAnswers(c *comparison) {
	was, wasCode := c.answered(c.old)
	is, isCode := c.answered(c.new)
	known := maps.Clone(is)
	c.diffBodies("answer", was, is, wasCode, isCode)
	// Answers that replace nothing.
	for pkg := range c.ours.answers {
		if c.new.pkg(pkg) == nil {
			continue
		}
		for _, n := range c.ours.answerNames(c.new, pkg) {
			name := pkg + "." + n
			if _, ok := known[name]; ok {
				continue
			}
			k := slices.IndexFunc(c.findings, func(f Finding) bool { return f.Kind == "answer" && f.Name == name })
			if k < 0 {
				c.findings = append(c.findings, Finding{Kind: "answer", Name: name, Text: "gone"})
				k = len(c.findings) - 1
			}
			c.findings[k].Ours = "an answer to nothing"
			if d := c.ours.guest(c.new).decl(pkg, n); d != nil {
				c.findings[k].Pos = d.pos()
			}
		}
	}
}

// close are packages with functions that compiled code calls, or with code that depends on the
// runtime's memory layout.
var close = []string{"internal/abi", "internal/runtime/maps", "internal/runtime/sys", "internal/runtime/math", "internal/runtime/atomic",
	"internal/bytealg", "internal/reflectlite", "internal/sync", "internal/godebug", "internal/synctest", "sync/atomic", "iter", "weak", "unique"}

func (c *comparison) bodies(in *install) items {
	list := items{}
	for _, path := range close {
		for _, d := range in.pkg(path).sorted() {
			if d.fn != nil && !c.ours.names(d.symbol()) {
				list[d.symbol()] = item{d.code(), d.pos()}
			}
		}
	}
	return list
}

func compareBodies(c *comparison) { c.diffCode("body", c.bodies(c.old), c.bodies(c.new), nil) }

// files returns the files whose names are specific to this target, without those of packages that
// gyr replaces.
func (c *comparison) files(in *install) items {
	list := items{}
	for _, p := range c.rest(in) {
		for _, f := range in.pkg(p).files {
			words := strings.Split(strings.TrimSuffix(path.Base(f.name), ".go"), "_")[1:]
			if slices.Contains(words, "wasip1") || slices.Contains(words, "wasm") || slices.Contains(words, "fake") {
				list[strings.TrimPrefix(f.name, "src/")] = item{tokensOf(f.src), f.name + ":1"}
			}
		}
	}
	return list
}

func compareFiles(c *comparison) { c.diffCode("file", c.files(c.old), c.files(c.new), nil) }

// A mirror is a part of the Go project's sources that gyr repeats.
type mirror struct {
	path  string
	names string
	where string // in gyr
}

var mirrors = []mirror{
	{"internal/syslist", "KnownOS KnownArch", "internal/front/load/target/match.go"},
	{"internal/buildcfg", "gogoarchTags toolTags gowasm", "internal/front/load/target/match.go"},
	{"go/build", "Context.goodOSArchFile Context.shouldBuild Context.matchTag Context.matchFile parseFileHeader", "internal/front/load/target/match.go"},
	{"cmd/go/internal/load", "defaultGODEBUG ParseGoDebug godebugForGoVersion", "internal/front/load/godebug.go"},
	{"cmd/go/internal/load", "testmainTmpl isTestFunc isTest checkTestFunc", "internal/front/load/testmain.go"},
	{"cmd/go/internal/test", "defaultVetFlags", "internal/tools/vet/run.go"},
	{"cmd/vet", "main", "internal/tools/vet"},
	{"cmd/compile/internal/types", "AlgType CalcSize CalcStructSize IsDirectIface PtrDataSize", "internal/front/layout"},
	{"cmd/compile/internal/types", "TypeSymLookup TypeHash tconv2 sconv", "internal/front/layout/names.go"},
	{"cmd/compile/internal/reflectdata", "MapGroupType MapType writeMapType MapIterType", "internal/front/layout/maps.go"},
	{"cmd/compile/internal/reflectdata", "dcommontype writeType dextratype uncommonSize dgcsym dgcptrmask fillptrmask methods imethods dnameData", "internal/front/layout/descriptors.go"},
	{"cmd/compile/internal/reflectdata", "genhash geneq hashFunc", "internal/front/lower/alg.go"},
	{"cmd/compile/internal/walk", "mapfast mapKeyArg", "internal/front/lower/mapchan.go"},
	{"runtime", "waitReasonStrings", "internal/front/guest/_src/runtime/waitreason.go"},
	{"runtime", "boundsErrorFmts boundsNegErrorFmts printpanicval printpanics TypeAssertionError.Error panicwrap", "internal/front/guest/_src/runtime/error.go"},
	{"runtime", "hexdumpWords goroutineheader printAncestorTraceback traceback2 showframe showfuncinfo", "internal/front/guest/_src/runtime/traceback.go"},
	{"runtime", "nextslicecap growslice roundupsize", "internal/front/guest/_src/runtime/slice.go"},
	{"runtime", "selectgo chansend chanrecv closechan", "internal/front/guest/_src/runtime/select.go and chan.go"},
	{"runtime", "timeTimer newTimer stopTimer resetTimer", "internal/front/guest/_src/runtime/time.go"},
	{"runtime", "gopanic gorecover Goexit deferproc", "internal/front/guest/_src/runtime/panic.go"},
	{"runtime", "typehash nilinterhash interhash f64hash efaceeq ifaceeq", "internal/front/guest/_src/runtime/alg.go"},
	{"testing", "testDeps", "internal/front/guest/_src/testing/internal/testdeps"},
	{"testing", "B.StartTimer B.ResetTimer B.StopTimer B.doBench", "internal/lab/bench/hooks.go"},
	{"testing", "B.Loop B.loopSlowPath", "internal/front/load/bloop.go"},
	{"reflect", "callReflect callMethod funcLayout Value.call MakeFunc makeMethodValue", "internal/front/lower and internal/front/guest/_src/runtime/linknames.go"},
}

func (m *mirror) items(in *install, into items) {
	for name := range strings.FieldsSeq(m.names) {
		if d := in.decl(m.path, name); d != nil {
			into[m.path+"."+name] = item{d.code(), d.pos()}
		}
	}
}

func compareMirrors(c *comparison) {
	for _, m := range mirrors {
		was, is := items{}, items{}
		m.items(c.old, was)
		m.items(c.new, is)
		at := len(c.findings)
		c.diffCode("mirror", was, is, nil)
		for i := range c.findings[at:] {
			c.findings[at+i].Text += "; " + m.where
		}
	}
}
