import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { hashApiKey } from '@lontar/shared/api-key.ts';
import { FORMAT } from './backup-format.ts';

const KEY_BYTES = 32;
/** Names what the key is for, so that it fits nothing else that is derived from the pepper. */
const PURPOSE = 'lontar backup signature v1';
const MARK_CHARACTERS = 16;
const SIGNATURE = /^lontar-hmac-sha256 ([\w-]{16}) ([0-9a-f]{64})\n$/;
const HMAC_HEX_CHARACTERS = 64;
/** A gzip member of its own, not compressed and so always as long: tools that unpack a backup show it as the last line. */
const SIGNATURE_BYTES = signatureMember('-'.repeat(MARK_CHARACTERS), '0'.repeat(HMAC_HEX_CHARACTERS)).length;

/** Differs between peppers and reveals nothing about them. */
export function pepperMark(pepper: string): string {
  return hashApiKey(FORMAT, pepper).slice(0, MARK_CHARACTERS);
}

/** Signs what passes; one for each file. */
export interface Signer {
  update(chunk: Buffer): void;
  /** What stands behind the signed bytes. */
  trailer(): Buffer;
}

/**
 * A person who has a backup but not the pepper can neither change it unnoticed nor make one up. The key is derived, so
 * that nothing has to be carried to another machine but the pepper, without which no API key of the backup would work
 * there.
 */
export function openSigner(pepper: string): Signer {
  const hmac = createHmac('sha256', signingKey(pepper));
  return {
    update: (chunk) => void hmac.update(chunk),
    trailer: () => signatureMember(pepperMark(pepper), hmac.digest('hex')),
  };
}

/** A file's signature and how much it is of; without a signature all of the file. */
export interface SignedPart {
  readonly bytes: number;
  /** In hex, with the mark of the pepper that it claims to be under. */
  readonly signature?: { readonly mark: string; readonly hmac: string };
}

export async function findSignature(file: FileHandle, fileBytes: number): Promise<SignedPart> {
  const bytes = fileBytes - SIGNATURE_BYTES;
  if (bytes < 0) return { bytes: fileBytes };
  const { buffer } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, bytes);
  const [, mark, hmac] = SIGNATURE.exec(unpackMember(buffer)) ?? [];
  return mark === undefined || hmac === undefined ? { bytes: fileBytes } : { bytes, signature: { mark, hmac } };
}

/** Whether the signature is of this pepper and these bytes. Reads all of them, and trusts none. */
export async function isSignedBy(pepper: string, file: FileHandle, part: SignedPart): Promise<boolean> {
  const hmac = createHmac('sha256', signingKey(pepper));
  if (part.bytes > 0) {
    for await (const chunk of file.createReadStream({ start: 0, end: part.bytes - 1, autoClose: false })) {
      hmac.update(chunk as Buffer);
    }
  }
  const given = Buffer.from(part.signature?.hmac ?? '', 'hex');
  const right = hmac.digest();
  return given.length === right.length && timingSafeEqual(given, right);
}

function signatureMember(mark: string, hmac: string): Buffer {
  return gzipSync(`lontar-hmac-sha256 ${mark} ${hmac}\n`, { level: constants.Z_NO_COMPRESSION });
}

/** The text of a member; nothing where there is none. */
function unpackMember(bytes: Buffer): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: SIGNATURE_BYTES }).toString('latin1');
  } catch {
    return '';
  }
}

function signingKey(pepper: string): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', PURPOSE, KEY_BYTES));
}
