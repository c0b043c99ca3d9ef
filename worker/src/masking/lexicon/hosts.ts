import { wordSet as list } from './word-set.ts';

/** Schemes of long-lived or service-to-service connections: their authority is masked whatever the host is. */
export const SERVICE_SCHEMES = list(
  'ws wss grpc grpcs mqtt mqtts tcp udp tls ssl nats stomp ldap ldaps sip sips rtsp rtmp rtmps coap coaps socks4 socks5 socks5h kafka thrift zookeeper etcd consul vnc rdp telnet',
);
/** Schemes whose authority is masked when the host or the path says so. */
export const WEB_SCHEMES = list(
  'http https hxxp hxxps ftp ftps sftp ssh smb git svn h2 h2c rpc feed http+unix dav davs git+ssh git+https',
);

/** Last labels of names that only a private network resolves (RFC 6762, RFC 8375, ICANN's reserved `.internal`). */
export const INTERNAL_SUFFIXES = list(
  'internal local localhost localdomain lan corp home intranet intra test svc private consul cluster k8s vpn prod staging int',
);
/** Labels that make any host an internal one. */
export const INTERNAL_LABELS = list('corp internal intranet intra lan svc vpn private consul');

/** Words that make a label API-like when the label is split at hyphens. */
export const API_WORDS = list(
  'api apis apigw gateway gw svc service services graphql gql rpc grpc rest ws wss websocket webhook webhooks hooks oauth oauth2 sso idp backend bff mqtt ingest jsonrpc soap endpoint microservice restapi openapi webservice webservices',
);
/** Platforms whose host names are endpoints by construction. */
export const API_SUFFIXES = [
  'cloudfunctions.net',
  'on.aws',
  'run.app',
  'azure-api.net',
  'openai.azure.com',
  'documents.azure.com',
  'vault.azure.net',
  'servicebus.windows.net',
  'database.windows.net',
  'azurecontainerapps.io',
  'firebaseio.com',
  'supabase.co',
  'ngrok.io',
  'ngrok-free.app',
  'ngrok.app',
  'trycloudflare.com',
  'loca.lt',
  'nip.io',
  'sslip.io',
  'xip.io',
  'traefik.me',
  'workers.dev',
  'azurewebsites.net',
  'elb.amazonaws.com',
  'rds.amazonaws.com',
  'cache.amazonaws.com',
  'sentry.io',
] as const;

/** Path segments that only an endpoint has. */
export const API_SEGMENTS = list(
  'api apis graphql gql rpc jsonrpc json-rpc rest oauth oauth2 healthz readyz livez odata soap xmlrpc xmlrpc.php wp-json actuator openapi.json openapi.yaml swagger.json swagger.yaml swagger swagger-ui swagger-ui.html api-docs socket.io _search _bulk _cluster webhook webhooks callback openid-connect',
);

/** First labels of hosts that are read by people. */
export const READING_LABELS = list(
  'docs doc documentation dokumentasi developer developers api-docs apidocs learn help support wiki blog guide guides handbook manual reference tutorial tutorials community forum discuss discourse playground img image images fonts schema schemas json',
);
/** Path segments of documentation, where `/api/` is a chapter. */
export const READING_SEGMENTS = list(
  'docs doc documentation reference references guide guides blog wiki learn tutorial tutorials manual help articles article posts news handbook questions spec specs rfc standards download downloads dl release releases badge badges static assets img images fonts schemas schema',
);

/** Public sites that hold documentation, source code or packages; their links stay. Subdomains included, except API-like ones. */
export const READING_SITES = list(`
  github.com code.google.com githubusercontent.com github.io gitlab.com gitlab.io bitbucket.org codeberg.org sr.ht sourceforge.net gitee.com
  npmjs.com npmjs.org yarnpkg.com pnpm.io jsr.io deno.land deno.com bun.sh unpkg.com jsdelivr.net esm.sh skypack.dev cdnjs.com
  pypi.org pythonhosted.org python.org readthedocs.io readthedocs.org crates.io docs.rs rust-lang.org lib.rs golang.org go.dev
  rubygems.org ruby-lang.org rubydoc.info packagist.org php.net maven.org apache.org nuget.org microsoft.com
  debian.org ubuntu.com archlinux.org alpinelinux.org fedoraproject.org kernel.org gnu.org freedesktop.org
  mozilla.org w3.org whatwg.org ietf.org rfc-editor.org iana.org ecma-international.org tc39.es unicode.org iso.org
  json-schema.org schemastore.org schema.org xmlsoap.org opengis.net purl.org oasis-open.org openapis.org swagger.io
  wikipedia.org wikimedia.org wiktionary.org stackoverflow.com stackexchange.com serverfault.com superuser.com reddit.com
  medium.com dev.to hashnode.dev substack.com wordpress.com blogspot.com youtube.com youtu.be vimeo.com twitter.com x.com
  linkedin.com facebook.com instagram.com mastodon.social bsky.app t.me discord.gg slack.dev news.ycombinator.com
  shields.io badgen.net badge.fury.io travis-ci.org travis-ci.com circleci.com codecov.io coveralls.io appveyor.com
  snyk.io david-dm.org packagephobia.com bundlephobia.com opencollective.com patreon.com tidelift.com socket.dev
  nodejs.org reactjs.org react.dev vuejs.org angular.io angular.dev svelte.dev nextjs.org vercel.com nuxt.com vitejs.dev
  vite.dev webpack.js.org rollupjs.org esbuild.github.io babeljs.io eslint.org prettier.io biomejs.dev jestjs.io vitest.dev
  typescriptlang.org caniuse.com codesandbox.io stackblitz.com codepen.io jsfiddle.net jsbin.com jsperf.com runkit.com
  arxiv.org doi.org acm.org ieee.org springer.com nature.com creativecommons.org opensource.org spdx.org semver.org
  docker.com kubernetes.io helm.sh terraform.io hashicorp.com ansible.com nginx.org redis.io postgresql.org mysql.com
  mongodb.com sqlite.org elastic.co grafana.com prometheus.io opentelemetry.io graphql.org huggingface.co pytorch.org
  tensorflow.org openjdk.org oracle.com spring.io jetbrains.com visualstudio.com gravatar.com imgur.com giphy.com
  nodesource.com cloudflare.com fastly.com archive.org console.cloud.google.com console.aws.amazon.com portal.azure.com console.anthropic.com
  aistudio.google.com zod.dev core.telegram.org contributor-covenant.org keepachangelog.com commonmark.org
`);

/** Second-level labels that are part of a public suffix, as in `co.id`; what stands before them is the registrable name. */
export const PUBLIC_SECOND_LABELS = list('co com net org ac go gov edu or web sch my desa mil id ne');

/** Top-level domains after which `host:port` and `host/v1` are read as hosts although no scheme stands before them. */
export const BARE_HOST_ENDINGS = list(
  'com net org io id dev app cloud co ai tech xyz site online internal local lan corp intranet svc test localdomain me us eu uk de sg my jp in au nl fr sh run',
);

/** `https://host/path` shows what a URL is made of. */
export const NAMES_OF_HOSTS = list('host hostname domain domainname yourhost myhost somehost');

/** What stands before a URL that a program calls. */
export const ENDPOINT_CONTEXT =
  /(?:\b(?:post|put|patch|delete) {1,2}|(?:base[_-]?ur[li]|endpoint|api[_-]?(?:ur[li]|host|server|base)|service[_-]?ur[li]|webhook[_-]?ur[li]|backend[_-]?ur[li]|server[_-]?url|proxy_pass)["'`]? {0,2}[:=]? {0,2}["'`]?)$/i;

/** Words that are no server although a client stands before them. */
export const NOT_A_HOST =
  /^(?:[-.]|\d{1,24}$|localhost$|https?$|null$|true$|false$)|\.(?:sh|js|ts|json|txt|ya?ml|md|html?|py|tar|gz|zip|conf|pem|crt|key|log|deb|rpm|exe|png|jpg|svg|css|go|rs|rb|php|sql|xml|toml|lock)$/i;
