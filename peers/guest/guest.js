// The work of the comparison of calls for JavaScript: what guest.go and the package score have.
const data = new ArrayBuffer(100);
let text = "";
{
  const bytes = new Uint8Array(data);
  for (let i = 0; i < 100; i++) {
    bytes[i] = 97 + i % 26;
    text += String.fromCharCode(bytes[i]);
  }
}

function callAdd(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s = host.add(s, i);
  return s;
}

function callText(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s += host.text(text, data);
  return s;
}

function callBack(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s += host.back(x => x + i);
  return s;
}

function add(a, b) { return a + b; }

function empty() {}

function describe(o) { return [o.item + " ordered", o.count * o.each]; }

function handle(text) {
  const q = JSON.parse(text);
  let total = 0;
  const names = [];
  for (const it of q.items) {
    total += it.count * it.each;
    names.push(it.name);
  }
  return JSON.stringify({user: q.user, total: total, names: names});
}

const risk = new Float64Array(64);
for (let i = 0; i < 64; i++) risk[i] = i * 37 % 64 / 32 - 1;

function payment(amount, items, country, hour) {
  let x = 0.004 * amount - 4.2 + risk[country % 64];
  if (items > 20) x += 0.3 * (items - 20);
  if (hour < 6 || hour > 22) x += 1.1;
  const each = amount / Math.max(items, 1);
  if (each > 500) x += 1.5;
  else if (each > 100) x += 0.6 + Math.sqrt(each - 100) / 40;
  return 0.5 + 0.5 * x / (1 + Math.abs(x));
}

// payments fills out for a batch of rows; all are ArrayBuffers.
function payments(amountOf, itemsOf, countryOf, hourOf, outOf) {
  const amount = new Float64Array(amountOf), items = new Int32Array(itemsOf), out = new Float64Array(outOf);
  const country = new Uint8Array(countryOf), hour = new Uint8Array(hourOf);
  for (let i = 0; i < amount.length; i++) out[i] = payment(amount[i], items[i], country[i], hour[i]);
}
