package net

import "context"

// Names. The machine's own have addresses, and those of a granted /etc/hosts; all others would have to be asked of a server,
// which only a Resolver with a Dial of its own can reach.

// gyrAsks reports whether a resolver has its own way to a server.
func gyrAsks(r *Resolver) bool { return r != nil && r.Dial != nil }

// gyrHost returns the addresses of a name without asking anybody.
func gyrHost(ctx context.Context, name string) ([]string, error) {
	if gyrLocalName(name) {
		return []string{"127.0.0.1", "::1"}, nil
	}
	if addrs, _ := lookupStaticHost(name); len(addrs) > 0 {
		return addrs, nil
	}
	if !isDomainName(name) {
		return nil, newDNSError(errNoSuchHost, name, "")
	}
	return nil, gyrRefuse(ctx, name)
}

func (r *Resolver) lookupHost(ctx context.Context, host string) ([]string, error) {
	if gyrAsks(r) {
		order, conf := systemConf().hostLookupOrder(r, host)
		return r.goLookupHostOrder(ctx, host, order, conf)
	}
	return gyrHost(ctx, host)
}

func (r *Resolver) lookupIP(ctx context.Context, network, host string) ([]IPAddr, error) {
	if gyrAsks(r) {
		order, conf := systemConf().hostLookupOrder(r, host)
		addrs, _, err := r.goLookupIPCNAMEOrder(ctx, network, host, order, conf)
		return addrs, err
	}
	list, err := gyrHost(ctx, host)
	if err != nil {
		return nil, err
	}
	var addrs []IPAddr
	version := ipVersion(network)
	for _, a := range list {
		a, zone := splitHostZone(a)
		ip := ParseIP(a)
		if ip4 := ip.To4() != nil; ip != nil && (version == 0 || ip4 == (version == '4')) {
			addrs = append(addrs, IPAddr{IP: ip, Zone: zone})
		}
	}
	return addrs, nil
}

func (r *Resolver) lookupCNAME(ctx context.Context, name string) (string, error) {
	if gyrAsks(r) {
		order, conf := systemConf().hostLookupOrder(r, name)
		return r.goLookupCNAME(ctx, name, order, conf)
	}
	if _, canonical := lookupStaticHost(name); canonical != "" {
		return canonical, nil
	}
	if _, err := gyrHost(ctx, name); err != nil {
		return "", err
	}
	if name[len(name)-1] != '.' {
		name += "."
	}
	return name, nil
}

func (r *Resolver) lookupAddr(ctx context.Context, addr string) ([]string, error) {
	if gyrAsks(r) {
		order, conf := systemConf().addrLookupOrder(r, addr)
		return r.goLookupPTR(ctx, addr, order, conf)
	}
	if names := lookupStaticAddr(addr); len(names) > 0 {
		return names, nil
	}
	if _, err := reverseaddr(addr); err != nil {
		return nil, err
	}
	if ip := ParseIP(addr); ip.IsLoopback() {
		return []string{"localhost"}, nil
	}
	return nil, gyrRefuse(ctx, addr)
}

func (r *Resolver) lookupSRV(ctx context.Context, service, proto, name string) (string, []*SRV, error) {
	if !gyrAsks(r) {
		return "", nil, gyrRefuse(ctx, name)
	}
	return r.goLookupSRV(ctx, service, proto, name)
}

func (r *Resolver) lookupMX(ctx context.Context, name string) ([]*MX, error) {
	if !gyrAsks(r) {
		return nil, gyrRefuse(ctx, name)
	}
	return r.goLookupMX(ctx, name)
}

func (r *Resolver) lookupNS(ctx context.Context, name string) ([]*NS, error) {
	if !gyrAsks(r) {
		return nil, gyrRefuse(ctx, name)
	}
	return r.goLookupNS(ctx, name)
}

func (r *Resolver) lookupTXT(ctx context.Context, name string) ([]string, error) {
	if !gyrAsks(r) {
		return nil, gyrRefuse(ctx, name)
	}
	return r.goLookupTXT(ctx, name)
}
