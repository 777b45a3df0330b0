// What stream.go does, in JavaScript.
const users = new Map();

function handle(text) {
  const e = JSON.parse(text);
  let total = 0;
  for (const it of e.items) total += it.count * it.each;
  let u = users.get(e.user);
  if (u === undefined) users.set(e.user, u = {events: 0, sum: 0});
  u.events++;
  u.sum += total;
  const large = total > 20000 || total * u.events > 3 * u.sum;
  return JSON.stringify({id: e.id, user: e.user, total: total, events: u.events, sum: u.sum, large: large, shop: e.tags.shop});
}
