package bubblewrap

// callTables are the tables for programs of 64 bits and of 32.
var callTables = []callTable{
	{audit: 0xc000003e, socket: 41, denied: []uint32{248, 249, 250, 321}, absent: []uint32{425, 426, 427}, limit: 0x40000000},
	{audit: 0x40000003, socket: 359, denied: []uint32{286, 287, 288, 357}, absent: []uint32{102, 425, 426, 427}},
}
