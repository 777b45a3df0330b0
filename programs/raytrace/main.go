// Command raytrace renders spheres and a floor with shadows and reflections, with
// vectors as structures that are passed by value and shapes behind an interface. The
// size is the width and height in points.
//
// Usage: raytrace [size]
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec            { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) scale(f float64) vec      { return vec{a.x * f, a.y * f, a.z * f} }
func (a vec) dot(b vec) float64        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) unit() vec                { return a.scale(1 / math.Sqrt(a.dot(a))) }
func (a vec) mirror(normal vec) vec    { return a.sub(normal.scale(2 * a.dot(normal))) }
func (a vec) mix(b vec, f float64) vec { return a.scale(1 - f).add(b.scale(f)) }

type ray struct{ origin, dir vec }

func (r ray) at(t float64) vec { return r.origin.add(r.dir.scale(t)) }

type material struct {
	color vec
	shine float64
}

// A shape tells where a ray meets it first, the normal there and its material.
type shape interface {
	hit(r ray) (t float64, ok bool)
	surface(p vec) (normal vec, m material)
}

type sphere struct {
	center vec
	radius float64
	material
}

func (s *sphere) hit(r ray) (float64, bool) {
	o := r.origin.sub(s.center)
	b, c := o.dot(r.dir), o.dot(o)-s.radius*s.radius
	d := b*b - c
	if d < 0 {
		return 0, false
	}
	root := math.Sqrt(d)
	if t := -b - root; t > 1e-6 {
		return t, true
	}
	t := -b + root
	return t, t > 1e-6
}

func (s *sphere) surface(p vec) (vec, material) {
	return p.sub(s.center).scale(1 / s.radius), s.material
}

type floor struct{ height float64 }

func (f floor) hit(r ray) (float64, bool) {
	if r.dir.y > -1e-9 {
		return 0, false
	}
	t := (f.height - r.origin.y) / r.dir.y
	return t, t > 1e-6
}

func (f floor) surface(p vec) (vec, material) {
	m := material{vec{0.9, 0.9, 0.9}, 0.1}
	if (int(math.Floor(p.x))+int(math.Floor(p.z)))&1 == 0 {
		m.color = vec{0.1, 0.1, 0.15}
	}
	return vec{0, 1, 0}, m
}

type scene struct {
	shapes []shape
	light  vec
}

func (s *scene) nearest(r ray) (shape, float64) {
	var best shape
	far := math.Inf(1)
	for _, sh := range s.shapes {
		if t, ok := sh.hit(r); ok && t < far {
			best, far = sh, t
		}
	}
	return best, far
}

func (s *scene) trace(r ray, depth int) vec {
	sh, t := s.nearest(r)
	if sh == nil {
		f := 0.5 * (r.dir.y + 1)
		return vec{1, 1, 1}.mix(vec{0.4, 0.6, 1}, f)
	}
	p := r.at(t)
	normal, m := sh.surface(p)
	toLight := s.light.sub(p)
	distance := math.Sqrt(toLight.dot(toLight))
	dir := toLight.scale(1 / distance)
	bright := 0.15
	if b, far := s.nearest(ray{p, dir}); b == nil || far > distance {
		bright += 0.85 * max(0, normal.dot(dir))
	}
	c := m.color.scale(bright)
	if m.shine > 0 && depth > 0 {
		c = c.mix(s.trace(ray{p, r.dir.mirror(normal)}, depth-1), m.shine)
	}
	return c
}

func main() {
	n := size(300)
	s := &scene{shapes: []shape{floor{-1}}, light: vec{4, 7, -5}}
	for i := range 12 {
		f := float64(i)
		s.shapes = append(s.shapes, &sphere{
			vec{math.Mod(f*1.7, 6) - 3, math.Mod(f*0.9, 2.5) - 0.7, math.Mod(f*2.3, 7)}, 0.3 + math.Mod(f*0.37, 0.5),
			material{vec{0.2 + math.Mod(f*0.31, 0.8), 0.2 + math.Mod(f*0.17, 0.8), 0.2 + math.Mod(f*0.53, 0.8)}, math.Mod(f*0.21, 0.6)},
		})
	}
	h := uint64(14695981039346656037)
	for y := range n {
		for x := range n {
			dir := vec{2*float64(x)/float64(n) - 1, 1 - 2*float64(y)/float64(n), 1.4}
			c := s.trace(ray{vec{0, 0.5, -5}, dir.unit()}, 4)
			for _, v := range [...]float64{c.x, c.y, c.z} {
				h = (h ^ uint64(255*min(v, 1))) * 1099511628211
			}
		}
	}
	fmt.Printf("%016x\n", h)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
