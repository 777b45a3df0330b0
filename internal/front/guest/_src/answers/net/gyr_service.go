package net

// services has the names that programs ask for, as an /etc/services would.
var services = map[string]map[string]int{
	"tcp": {
		"ftp": 21, "ssh": 22, "telnet": 23, "smtp": 25, "domain": 53, "gopher": 70, "finger": 79, "http": 80, "kerberos": 88,
		"pop3": 110, "sunrpc": 111, "nntp": 119, "imap": 143, "imap2": 143, "bgp": 179, "imap3": 220, "ldap": 389, "https": 443,
		"submissions": 465, "submission": 587, "ldaps": 636, "ftps": 990, "telnets": 992, "imaps": 993, "pop3s": 995,
		"mysql": 3306, "postgresql": 5432, "amqps": 5671, "amqp": 5672, "redis": 6379,
	},
	"udp": {"domain": 53, "tftp": 69, "kerberos": 88, "sunrpc": 111, "ntp": 123, "snmp": 161, "syslog": 514, "https": 443},
}
