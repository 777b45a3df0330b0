// Command nbody integrates the motion of the sun and four planets and prints the
// system's energy before and after. The size is the number of steps.
//
// Usage: nbody [size]
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

type body struct {
	x, y, z, vx, vy, vz, mass float64
}

const (
	solarMass   = 4 * math.Pi * math.Pi
	daysPerYear = 365.24
)

func bodies() []body {
	b := []body{
		{0, 0, 0, 0, 0, 0, solarMass},
		{4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
			1.66007664274403694e-03 * daysPerYear, 7.69901118419740425e-03 * daysPerYear, -6.90460016972063023e-05 * daysPerYear,
			9.54791938424326609e-04 * solarMass},
		{8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
			-2.76742510726411521e-03 * daysPerYear, 4.99852801234917238e-03 * daysPerYear, 2.30417297573763929e-05 * daysPerYear,
			2.85885980666130812e-04 * solarMass},
		{1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
			2.96460137564761618e-03 * daysPerYear, 2.37847173959480950e-03 * daysPerYear, -2.96589568540237556e-05 * daysPerYear,
			4.36624404335156298e-05 * solarMass},
		{1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
			2.68067772490389322e-03 * daysPerYear, 1.62824170038242295e-03 * daysPerYear, -9.51592254519715870e-05 * daysPerYear,
			5.15138902046611451e-05 * solarMass},
	}
	// The sun moves so that the momentum of the system is zero.
	var px, py, pz float64
	for i := range b {
		px += b[i].vx * b[i].mass
		py += b[i].vy * b[i].mass
		pz += b[i].vz * b[i].mass
	}
	b[0].vx, b[0].vy, b[0].vz = -px/solarMass, -py/solarMass, -pz/solarMass
	return b
}

func energy(b []body) float64 {
	e := 0.0
	for i := range b {
		p := &b[i]
		e += 0.5 * p.mass * (p.vx*p.vx + p.vy*p.vy + p.vz*p.vz)
		for j := i + 1; j < len(b); j++ {
			q := &b[j]
			dx, dy, dz := p.x-q.x, p.y-q.y, p.z-q.z
			e -= p.mass * q.mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

func advance(b []body, dt float64) {
	for i := range b {
		p := &b[i]
		for j := i + 1; j < len(b); j++ {
			q := &b[j]
			dx, dy, dz := p.x-q.x, p.y-q.y, p.z-q.z
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			p.vx -= dx * q.mass * mag
			p.vy -= dy * q.mass * mag
			p.vz -= dz * q.mass * mag
			q.vx += dx * p.mass * mag
			q.vy += dy * p.mass * mag
			q.vz += dz * p.mass * mag
		}
	}
	for i := range b {
		p := &b[i]
		p.x += dt * p.vx
		p.y += dt * p.vy
		p.z += dt * p.vz
	}
}

func main() {
	n := size(500000)
	b := bodies()
	fmt.Printf("%.9f\n", energy(b))
	for range n {
		advance(b, 0.01)
	}
	fmt.Printf("%.9f\n", energy(b))
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
