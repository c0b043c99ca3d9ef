import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

/** Source hosting, continuous integration, package registries, infrastructure as code. */
export const SOURCE_CODE_TOKENS: readonly Rule[] = [
  ...tokens(
    'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github',
    {
      'github-personal-token': 'ghp_{dot:36}',
      'github-oauth-token': 'gho_{dot:36}',
      'github-user-token': 'ghu_{dot:36}',
      'github-server-token': 'ghs_{dot:36}',
      'github-refresh-token': 'ghr_{dot:36}',
      'github-fine-grained-token': 'github_pat_{w:82}',
    },
  ),
  ...tokens('https://docs.gitlab.com/security/tokens/', {
    'gitlab-personal-token': 'glpat-{dot:20}',
    'gitlab-pipeline-trigger': 'glptt-{dot:40}',
    'gitlab-runner-token': 'glrt-{dot:20}',
    'gitlab-runner-registration': 'GR1348941{url:20}',
    'gitlab-runner-registration-token': 'glrtr-{dot:20}',
    'gitlab-deploy-token': 'gldt-{dot:20}',
    'gitlab-feed-token': 'glft-{dot:20}',
    'gitlab-mail-token': 'glimt-{dot:25}',
    'gitlab-agent-token': 'glagent-{dot:50}',
    'gitlab-oauth-secret': 'gloas-{dot:64}',
    'gitlab-scim-token': 'glsoat-{dot:20}',
    'gitlab-job-token': 'glcbt-{dot:24}',
    'gitlab-feature-flag-token': 'glffct-{dot:20}',
    'gitlab-workspace-token': 'glwt-{dot:20}',
  }),
  ...tokens('https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/', {
    'atlassian-api-token': 'ATATT3{url:186}',
    'atlassian-access-token': 'ATCTT3{url:180}',
    'bitbucket-app-password': 'ATBB{an32}',
    'bitbucket-server-token': 'BBDC-{b64:44}',
  }),
  ...tokens('https://docs.npmjs.com/about-access-tokens/', { 'npm-token': 'npm_{an36}' }),
  ...tokens('https://pypi.org/help/#apitoken', {
    'pypi-token': 'pypi-AgE{url:80}',
    'testpypi-token': 'pypi-AgENdGVzd{url:80}',
  }),
  ...tokens('https://guides.rubygems.org/api-key-scopes/', { 'rubygems-key': 'rubygems_{hex:48}' }),
  ...tokens('https://github.com/clojars/clojars-web/wiki/Deploy-Tokens', { 'clojars-token': 'CLOJARS_{lo:60}' }),
  ...tokens('https://doc.rust-lang.org/cargo/reference/publishing.html', { 'crates-io-token': 'cio{an32}' }, true),
  ...tokens('https://learn.microsoft.com/nuget/nuget-org/publish-a-package', { 'nuget-key': 'oy2{lo:43}' }, true),
  ...tokens('https://packagist.com/docs/api', {
    'packagist-token': 'packagist_ack_{hex:68}',
    'packagist-org-token': 'packagist_org_{hex:68}',
    'packagist-user-token': 'packagist_uut_{hex:68}',
  }),
  ...tokens('https://jfrog.com/help/r/jfrog-platform-administration-documentation/user-profile', {
    'jfrog-api-key': 'AKCp{an69}',
    'jfrog-reference-token': 'cmVmdGtu{an56}',
  }),
  ...tokens('https://docs.docker.com/security/access-tokens/', {
    'docker-personal-token': 'dckr_pat_{url:27}',
    'docker-organisation-token': 'dckr_oat_{url:32}',
  }),
  ...tokens('https://circleci.com/docs/managing-api-tokens/', {
    'circleci-personal-token': 'CCIPAT_{w:60}',
    'circleci-project-token': 'CCIPRJ_{w:60}',
  }),
  ...tokens('https://buildkite.com/docs/apis/managing-api-tokens', {
    'buildkite-api-token': 'bkua_{hex:40}',
    'buildkite-agent-token': 'bkct_{hex:40}',
  }),
  ...tokens('https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys/', {
    'harness-personal-token': 'pat.{url:22}.{hex:24}.{an20}',
    'harness-service-token': 'sat.{url:22}.{hex:24}.{an20}',
  }),
  ...tokens(
    'https://octopus.com/docs/octopus-rest-api/how-to-create-an-api-key',
    { 'octopus-key': 'API-{up:26}' },
    true,
  ),
  ...tokens('https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens/', {
    'sonar-user-token': 'squ_{hex:40}',
    'sonar-project-token': 'sqp_{hex:40}',
    'sonar-global-token': 'sqa_{hex:40}',
  }),
  ...tokens('https://docs.sourcegraph.com/cli/how-tos/creating_an_access_token', {
    'sourcegraph-token': 'sgp_{w:40}',
    'sourcegraph-dotcom-key': 'slk_{hex:64}',
  }),
  ...tokens('https://docs.snyk.io/snyk-api/authentication-for-api', {
    'snyk-token': 'snyk_uat.{dot:40}',
    'snyk-service-token': 'snyk_sat.{dot:40}',
  }),
  ...tokens('https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/', {
    'pulumi-token': 'pul-{hex:40}',
  }),
  ...tokens(
    'https://developer.hashicorp.com/vault/docs/concepts/tokens',
    {
      'vault-service-token': 'hvs.{url:24}',
      'vault-batch-token': 'hvb.{url:24}',
      'vault-recovery-token': 'hvr.{url:24}',
      'vault-root-token': 's.{an24}',
    },
    ['vault-root-token'],
  ),
  ...tokens('https://www.infracost.io/docs/', { 'infracost-key': 'ico-{an32}' }, true),
  ...tokens('https://docs.prefect.io/v3/manage/cloud/manage-users/api-keys', {
    'prefect-user-key': 'pnu_{an36}',
    'prefect-bot-key': 'pnb_{an36}',
  }),
  ...tokens('https://docs.readme.com/main/reference/authentication', { 'readme-key': 'rdme_{lo:70}' }),
  ...tokens('https://learning.postman.com/docs/developer/postman-api/authentication/', {
    'postman-key': 'PMAK-{hex:24}-{hex:34}',
    'postman-collection-key': 'PMAT-{up:26}',
  }),
  ...tokens(
    'https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/authentication_and_authorization/managing-oauth-access-tokens',
    { 'openshift-token': 'sha256~{url:43}' },
  ),
  ...tokens('https://docs.expo.dev/accounts/programmatic-access/', { 'expo-token': 'expo_{an40}' }, true),
  ...tokens('https://docs.deno.com/deploy/', {
    'deno-deploy-token': 'ddp_{an36}',
    'deno-organisation-token': 'ddo_{an36}',
  }),
  ...tokens('https://docs.sentry.io/account/auth-tokens/', {
    'sentry-user-token': 'sntryu_{hex:64}',
    'sentry-organisation-token': 'sntrys_eyJ{b64:150}',
    'sentry-internal-token': 'sntryi_{hex:64}',
  }),
];
