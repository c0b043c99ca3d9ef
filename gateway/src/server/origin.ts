import type { Request } from 'express';

const HOST = /^[0-9A-Za-z._-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/**
 * The origin that the caller reaches the gateway under, for links: as configured, else as the request names it. A Host
 * header that is no host is not repeated, nor a forwarded protocol that is not one of the Web's.
 */
export function originOf(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const host = request.host ?? '';
  if (HOST.test(host)) return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  return `http://127.0.0.1:${request.socket.localPort}`;
}
