package bubblewrap

// callTables are the tables for programs of 64 bits and of 32.
var callTables = []callTable{
	{audit: 0xc00000b7, socket: 198, denied: []uint32{217, 218, 219, 280}, absent: []uint32{425, 426, 427}},
	{audit: 0x40000028, socket: 281, denied: []uint32{309, 310, 311, 386}, absent: []uint32{102, 425, 426, 427}},
}
