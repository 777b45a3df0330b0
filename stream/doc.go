// Package stream runs functions over NATS JetStream. A function is a Go package whose exported
// function Handle gets each message of a subject. gyr runs it, so it is sandboxed, and each message
// has a limit of gas and memory. What it keeps in variables is its state. What it returns is
// published.
//
//	func Handle(subject string, at int64, data []byte) ([]Message, error)
//
// at is the message's time in nanoseconds since 1970. A Message is a struct with the fields Subject
// (a string) and Data ([]byte), declared by the function's own package.
//
// # The parts of a pipeline
//
// A pipeline has a name, a subject, a function, and some of JetStream:
//
//   - The input is a stream of the cluster. If its SubjectTransform puts a partition in front of
//     each subject ({{partition(8,1)}}.), the pipeline has as many partitions; otherwise it has one.
//     A message's key is what that transform hashes: tokens of the subject.
//   - The pipeline's stream, GYR_name, has the messages that the function published, the dead
//     letters, the versions of the function and, for each partition, its commits.
//   - The object store gyr-name has images of the function and snapshots of states.
//   - The KV bucket gyr-name-leases says which worker has which partition.
//
// A worker is a process. It takes partitions, and for each of them it runs one instance of the
// function. A durable pull consumer delivers the partition's messages in the order of the input.
//
// # A commit
//
// After a batch of messages the worker publishes, as one atomic batch of JetStream: the messages
// that the function returned, the dead letters, and a commit. The server stores all of them or none.
// The commit has the sequence of the last input message that was handled, and the state: the
// difference from the state of the commit before, or the name of a snapshot. Its header says which
// commit is the partition's last (Nats-Expected-Last-Subject-Sequence), and the server refuses the
// whole batch if that is not so.
//
// So position, state and published messages are one record. It replaces the one before, or nothing
// has happened. There is no list of messages that are yet to be published, and no duplicate window:
// a message that comes again after a day has a sequence at or below the position and is skipped.
//
// # Crashes
//
// Let commit n be the partition's last, and let a worker handle the messages after it.
//
//   - It ends before the atomic batch is complete. The server drops the incomplete batch. The next
//     worker begins from commit n and handles the messages again.
//   - It ends after the batch is complete and before the answer. The batch is stored or not. The next
//     worker finds n or n+1 and goes on from there.
//   - It gets no answer, since the server or the network has ended. It reads the last commit. If that
//     has the worker's own mark, the commit is done. If it is still n, the worker sends the same batch
//     again; of the two at most one can follow n. If it is another, the partition has another owner.
//   - It ends after the commit and before the input is acknowledged. The acknowledgement decides
//     nothing: the position is in the commit.
//   - It ends while it writes a snapshot. That is written, and read, before the commit that names it. It has
//     a name that nobody uses. The next owner deletes such objects.
//   - It ends after a commit with a snapshot and before it has purged the commits before. The next
//     snapshot purges them.
//
// # Ownership
//
// A lease is a key of the KV bucket. It lasts as long as the bucket's TTL, by the server's clock, and
// its holder renews it. Workers list each other there and share the partitions out. Leases decide who
// works, and not what is right: two workers may believe that they own a partition.
//
// What is right is decided by commits. A worker that takes a partition over first commits that it is
// the owner, with the state as it was. From then on the last commit is another one than the owner
// before it knows, so that each of its commits is refused, with all of its messages. A worker that
// was stopped and wakes up after its lease commits nothing. If it wakes up and commits before the
// new owner has, then the new owner is refused and reads the state again. Either way commits form one
// line.
//
// # What is promised
//
// Each message of the input takes effect in the state and in the published messages exactly once, in
// the order of the input within its partition. That holds if workers and servers are killed, stopped
// or cut off at any moment, as long as the streams keep what JetStream has acknowledged. Calls of the
// function happen at least once: what it writes to standard output may appear again. It has no other
// effects.
//
// A message whose call fails (an error, a panic, a limit of gas or memory) changes nothing. It becomes
// a dead letter, exactly once too, with the error, the place in the function, and the sequence. An
// error that does not follow from the function and the message, such as a lack of memory of the
// machine, stops the partition and not the message; a worker tries again.
//
// # Files
//
//   - pipeline.go finds and makes the parts of a pipeline; input.go understands the input stream.
//   - commit.go is the record and the atomic batch; load.go reads a partition's state.
//   - guest.go calls the function; reader.go reads the input; partition.go joins the two.
//   - lease.go and worker.go share partitions out; function.go has versions of the function.
//   - metrics.go counts; status.go says how far partitions are; errors.go has the types of errors.
package stream
