/*
 * A plug-in of qemu that counts the instructions of a program: those at addresses below a bound, and all
 * others. The bound lies between the text of a Go program and the memory that it maps.
 *
 * Debian packages no header for plug-ins. These are the declarations of their interface, version 1.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *ptr, uint64_t imm);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *), void *userdata);

int qemu_plugin_version = 1;

static const uint64_t bound = 0x10000000;
static uint64_t counts[2];
static char out[4096];

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t *count = &counts[qemu_plugin_tb_vaddr(tb) >= bound];
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, count, qemu_plugin_tb_n_insns(tb));
}

static void end(qemu_plugin_id_t id, void *userdata)
{
	FILE *f = fopen(out, "w");
	if (f) {
		fprintf(f, "%llu %llu\n", (unsigned long long)counts[0], (unsigned long long)counts[1]);
		fclose(f);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4) || strlen(argv[0]) >= sizeof out) {
		return -1;
	}
	strcpy(out, argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, end, NULL);
	return 0;
}
