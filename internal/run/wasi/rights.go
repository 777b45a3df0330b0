package wasi

// Rights are the operations that a descriptor allows.
const (
	rightFdDatasync = 1 << iota
	rightFdRead
	rightFdSeek
	rightFdstatSetFlags
	rightFdSync
	rightFdTell
	rightFdWrite
	rightFdAdvise
	rightFdAllocate
	rightPathCreateDirectory
	rightPathCreateFile
	rightPathLinkSource
	rightPathLinkTarget
	rightPathOpen
	rightFdReaddir
	rightPathReadlink
	rightPathRenameSource
	rightPathRenameTarget
	rightPathFilestatGet
	rightPathFilestatSetSize
	rightPathFilestatSetTimes
	rightFdFilestatGet
	rightFdFilestatSetSize
	rightFdFilestatSetTimes
	rightPathSymlink
	rightPathRemoveDirectory
	rightPathUnlinkFile
	rightPollFdReadwrite
	rightSockShutdown
	rightSockAccept
)

const (
	// Rights of a directory, a regular file and a stream.
	dirRights = rightFdSync | rightFdstatSetFlags | rightPathCreateDirectory | rightPathCreateFile |
		rightPathLinkSource | rightPathLinkTarget | rightPathOpen | rightFdReaddir | rightPathReadlink |
		rightPathRenameSource | rightPathRenameTarget | rightPathFilestatGet | rightPathFilestatSetSize |
		rightPathFilestatSetTimes | rightFdFilestatGet | rightFdFilestatSetTimes | rightPathSymlink |
		rightPathRemoveDirectory | rightPathUnlinkFile
	fileRights = rightFdDatasync | rightFdRead | rightFdSeek | rightFdstatSetFlags | rightFdSync |
		rightFdTell | rightFdWrite | rightFdAdvise | rightFdAllocate | rightFdFilestatGet |
		rightFdFilestatSetSize | rightFdFilestatSetTimes | rightPollFdReadwrite
	streamRights = rightFdstatSetFlags | rightFdFilestatGet | rightPollFdReadwrite

	// Rights that a read-only directory never grants, neither itself nor for files opened in it.
	// The functions check for read-only first, so that the guest sees EROFS and not ENOTCAPABLE.
	writeRights = rightFdDatasync | rightFdWrite | rightFdAllocate | rightPathCreateDirectory |
		rightPathCreateFile | rightPathLinkSource | rightPathLinkTarget | rightPathRenameSource |
		rightPathRenameTarget | rightPathFilestatSetSize | rightPathFilestatSetTimes |
		rightFdFilestatSetSize | rightFdFilestatSetTimes | rightPathSymlink | rightPathRemoveDirectory |
		rightPathUnlinkFile
)
