package net

// interfaceTable has the one interface of a machine without a network.
func interfaceTable(ifindex int) ([]Interface, error) {
	if ifindex > 1 {
		return nil, nil
	}
	return []Interface{{Index: 1, MTU: 65536, Name: "lo", Flags: FlagUp | FlagLoopback | FlagRunning}}, nil
}

func interfaceAddrTable(ifi *Interface) ([]Addr, error) {
	if ifi != nil && ifi.Index != 1 {
		return nil, nil
	}
	return []Addr{
		&IPNet{IP: IPv4(127, 0, 0, 1), Mask: CIDRMask(8, 32)},
		&IPNet{IP: IPv6loopback, Mask: CIDRMask(128, 128)},
	}, nil
}
