import { login, type StructuralRule } from './structural-rule.ts';

const RFC3986 = 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2';
/** Endpoints. */
export const ENDPOINT_RULES: readonly StructuralRule[] = [
  {
    name: 'url-api-host',
    type: 'url',
    source: RFC3986,
    masks: ['GET https://api.example.com/v1/users', 'https:\\/\\/gateway.example.net\\/x'],
    keeps: ['https://api-docs.example.dev/news/1', 'app.api.users.list()'],
  },
  {
    name: 'url-api-path',
    type: 'url',
    source: RFC3986,
    masks: ['POST https://example.com/api/login', 'http://shop.example.com/Service.svc?wsdl'],
    keeps: ['https://example.com/docs/api/start', 'GET /v1/users/{id}'],
  },
  {
    name: 'url-port',
    type: 'url',
    source: RFC3986,
    masks: ['http://localhost:3000/docs', 'https://shop.example.com:8443/'],
    keeps: ['http://HOST:PORT/'],
  },
  {
    name: 'url-ip-host',
    type: 'url',
    source: RFC3986,
    masks: ['http://192.0.2.1/admin', 'http://3232235777/', 'http://[2001:db8::1]/'],
    keeps: [],
  },
  {
    name: 'url-one-label',
    type: 'url',
    source: RFC3986,
    masks: ['http://payments/charge'],
    keeps: ['http://HOSTNAME/charge', 'http://<host>/x'],
  },
  {
    name: 'url-internal-host',
    type: 'url',
    source: 'https://www.rfc-editor.org/rfc/rfc8375',
    masks: ['https://wiki.corp.example.com/x', 'http://nas.home.arpa/'],
    keeps: ['https://www.example.com/about'],
  },
  {
    name: 'url-userinfo',
    type: 'url',
    source: RFC3986,
    masks: [`https://${login('budi')}git.example.com/x`],
    keeps: ['git+ssh://git@github.com/nodejs/node.git'],
  },
  {
    name: 'url-endpoint-context',
    type: 'url',
    source: RFC3986,
    masks: ["baseURL: 'https://pay.example.id'"],
    keeps: ["homepage: 'https://pay.example.id'"],
  },
  {
    name: 'service-scheme',
    type: 'url',
    source: 'https://www.rfc-editor.org/rfc/rfc6455#section-3',
    masks: ['wss://live.example.com/socket', 'mqtt://broker.example.com'],
    keeps: ['vscode://file/x'],
  },
  {
    name: 'host-port',
    type: 'url',
    source: RFC3986,
    masks: ['image: registry.example.com:5000/app'],
    keeps: ['lib/app.ts:10:4'],
  },
  {
    name: 'bare-api-host',
    type: 'url',
    source: RFC3986,
    masks: ['see api.example.com/v1/ping'],
    keeps: ['com.example.api.v1.UserService'],
  },
  {
    name: 'client-host',
    type: 'url',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-7.2',
    masks: ['curl api.example.com/ping', 'GET / HTTP/1.1\nHost: shop.example.com\n'],
    keeps: ['curl -O setup.sh'],
  },
];

/** IP addresses. */
export const ADDRESS_RULES: readonly StructuralRule[] = [
  {
    name: 'ipv4',
    type: 'ip',
    source: 'https://www.rfc-editor.org/rfc/rfc6943#section-3.1.1',
    masks: ['ping 192.0.2.7', '198.51.100.0/24', '192[.]0[.]2[.]7', '7.2.0.192.in-addr.arpa'],
    keeps: [
      'version 1.2.3.4',
      'Chrome/120.0.0.0',
      'pasal 12.3.1.2',
      'x==4.9.0.80',
      'libx.so.1.2.3.4',
      'Rp 1.250.000.000',
    ],
  },
  {
    name: 'ipv6',
    type: 'ip',
    source: 'https://www.rfc-editor.org/rfc/rfc4291#section-2.2',
    masks: ['at 2001:db8::8a2e:370:7334.', 'binds to ::1 only', '::ffff:192.0.2.7', 'fe80::1%eth0'],
    keeps: ['std::io', 'a[1::2]', '42::text', '00:1A:2B:3C:4D:5E', '12:34:56'],
  },
];
