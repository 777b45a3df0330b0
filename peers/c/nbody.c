// nbody integrates the motion of the sun and four planets and prints the system's energy before and
// after, as programs/nbody does. The size is the number of steps.

#include "program.h"

struct body {
	double x, y, z, vx, vy, vz, mass;
};

// Go evaluates a constant expression exactly and rounds the result once. C rounds the factors and
// then the product, which gives two of the masses another last digit. So the products are written
// as the values that they have in Go: the mass of the sun, 4π²; velocities times 365.24 days of a
// year; masses times that of the sun.
static const double solar_mass = 0x1.3bd3cc9be45dep+5;

enum { bodies = 5 };

static struct body system_bodies[bodies] = {
	{0, 0, 0, 0, 0, 0, 0x1.3bd3cc9be45dep+5},
	{4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
		0x1.367069b93ccbcp-1, 0x1.67ef2f57d949ap+1, -0x1.9d2d79a5a0715p-6,
		0x1.34c95d9ab33d8p-5},
	{8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
		-0x1.02c21b8877749p+0, 0x1.d35e9bf1f8f12p+0, 0x1.13c485f1123b4p-7,
		0x1.71d490d07c638p-7},
	{1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
		0x1.1531ca9911befp+0, 0x1.bcc7f3e54bbc5p-1, -0x1.62f6bfaf23e7cp-7,
		0x1.c3dd29cf41eb4p-10},
	{1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
		0x1.f54b61659bc4ap-1, 0x1.307c631c4fba3p-1, -0x1.1cb88587665f6p-5,
		0x1.0a8f3531799acp-9},
};

// balance moves the sun so that the momentum of the system is zero.
static void balance(struct body *b, int64_t n) {
	double px = 0, py = 0, pz = 0;
	for (int64_t i = 0; i < n; i++) {
		px += b[i].vx * b[i].mass;
		py += b[i].vy * b[i].mass;
		pz += b[i].vz * b[i].mass;
	}
	b[0].vx = -px / solar_mass;
	b[0].vy = -py / solar_mass;
	b[0].vz = -pz / solar_mass;
}

static double energy(const struct body *b, int64_t n) {
	double e = 0;
	for (int64_t i = 0; i < n; i++) {
		const struct body *p = &b[i];
		e += 0.5 * p->mass * (p->vx * p->vx + p->vy * p->vy + p->vz * p->vz);
		for (int64_t j = i + 1; j < n; j++) {
			const struct body *q = &b[j];
			double dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
			e -= p->mass * q->mass / sqrt(dx * dx + dy * dy + dz * dz);
		}
	}
	return e;
}

static void advance(struct body *b, int64_t n, double dt) {
	for (int64_t i = 0; i < n; i++) {
		struct body *p = &b[i];
		for (int64_t j = i + 1; j < n; j++) {
			struct body *q = &b[j];
			double dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
			double d2 = dx * dx + dy * dy + dz * dz;
			double mag = dt / (d2 * sqrt(d2));
			p->vx -= dx * q->mass * mag;
			p->vy -= dy * q->mass * mag;
			p->vz -= dz * q->mass * mag;
			q->vx += dx * p->mass * mag;
			q->vy += dy * p->mass * mag;
			q->vz += dz * p->mass * mag;
		}
	}
	for (int64_t i = 0; i < n; i++) {
		struct body *p = &b[i];
		p->x += dt * p->vx;
		p->y += dt * p->vy;
		p->z += dt * p->vz;
	}
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 500000);
	struct body *b = system_bodies;
	balance(b, bodies);
	print_fixed(9, energy(b, bodies));
	for (int64_t i = 0; i < n; i++) {
		advance(b, bodies, 0.01);
	}
	print_fixed(9, energy(b, bodies));
	return 0;
}
