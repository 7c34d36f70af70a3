// WebM with Opus (what Chromium records) → Ogg with Opus (what Telegram calls a voice message). Nothing is encoded
// anew: the same packets are taken out of one container and put into the other (RFC 7845, RFC 3533).

// Segment, Cluster, Tracks, TrackEntry, BlockGroup
const CONTAINERS = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0]);
const CODEC_PRIVATE = 0x63a2;
const BLOCKS = new Set([0xa3, 0xa1]); // SimpleBlock, Block
const BLOCK_HEADER = 4; // track number, two bytes of time, flags
const PACKETS_A_PAGE = 40;
const MOST_SEGMENTS = 255;

/** The bytes of an Ogg file with the recording's packets. */
export function webmToOgg(webm) {
  const { head, packets } = unpack(new Uint8Array(webm));
  const pages = [page([head], 0, { first: true, number: 0 }), page([tags()], 0, { number: 1 })];
  let samples = 0;
  let waiting = [];
  packets.forEach((packet, index) => {
    waiting.push(packet);
    samples += samplesOf(packet);
    const last = index === packets.length - 1;
    if (last || waiting.length === PACKETS_A_PAGE || segments([...waiting, packets[index + 1]]).length > MOST_SEGMENTS) {
      pages.push(page(waiting, samples, { number: pages.length, last }));
      waiting = [];
    }
  });
  return new Blob(pages, { type: "audio/ogg" });
}

/** Containers are entered whatever size they claim (a live recording claims none); everything else is stepped over. */
function unpack(bytes) {
  const found = { head: null, packets: [] };
  let at = 0;
  while (at < bytes.length) {
    const id = variable(bytes, at, true);
    const size = variable(bytes, at + id.length, false);
    at += id.length + size.length;
    if (CONTAINERS.has(id.value)) continue;
    const body = bytes.subarray(at, at + size.value);
    if (id.value === CODEC_PRIVATE) found.head = body;
    if (BLOCKS.has(id.value)) found.packets.push(body.subarray(BLOCK_HEADER));
    at += size.value;
  }
  return found;
}

function variable(bytes, at, keepMarker) {
  const length = Math.clz32(bytes[at]) - 23;
  let value = keepMarker ? bytes[at] : bytes[at] & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + bytes[at + index];
  return { length, value };
}

/** How long a packet sounds, in samples at 48 kHz, from its first byte. */
function samplesOf(packet) {
  const kind = packet[0] >> 3;
  const frameMs = kind < 12 ? [10, 20, 40, 60][kind & 3] : kind < 16 ? [10, 20][kind & 1] : [2.5, 5, 10, 20][kind & 3];
  const frames = [1, 2, 2, packet[1] & 63][packet[0] & 3];
  return frameMs * 48 * frames;
}

function tags() {
  const vendor = new TextEncoder().encode("photomat sandbox");
  const body = new Uint8Array(16 + vendor.length);
  body.set(new TextEncoder().encode("OpusTags"));
  body[8] = vendor.length;
  body.set(vendor, 12);
  return body;
}

function segments(packets) {
  return packets.filter(Boolean).flatMap(
    (packet) => [...Array(Math.floor(packet.length / 255)).fill(255), packet.length % 255],
  );
}

function page(packets, samples, { number, first = false, last = false }) {
  const lacing = segments(packets);
  const bytes = new Uint8Array(27 + lacing.length + packets.reduce((sum, packet) => sum + packet.length, 0));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("OggS"));
  bytes[5] = (first ? 2 : 0) + (last ? 4 : 0);
  view.setBigUint64(6, BigInt(samples), true);
  view.setUint32(14, 1, true);
  view.setUint32(18, number, true);
  bytes[26] = lacing.length;
  bytes.set(lacing, 27);
  let at = 27 + lacing.length;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  view.setUint32(22, checksum(bytes), true);
  return bytes;
}

function checksum(bytes) {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}
