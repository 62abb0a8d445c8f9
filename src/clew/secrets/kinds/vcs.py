"""Code hosting, package registries, build services."""

from clew.secrets.rules import Rule, named, token
from clew.secrets.samples import HEX, LOWER, hexed, text, uuid

# GitHub's and npm's tokens end in a CRC32. It is not checked: a token that was mistyped, cut and
# padded, or made up for a test looks the same to its reader, and the prefix alone gives no false
# positives worth the loss.
GITHUB = (
    token("github-pat", "ghp_", r"[A-Za-z0-9]{36}", lambda: text(36)),
    token("github-oauth-token", "gho_", r"[A-Za-z0-9]{36}", lambda: text(36)),
    token("github-user-token", "ghu_", r"[A-Za-z0-9]{36}", lambda: text(36)),
    token("github-app-token", "ghs_", r"[A-Za-z0-9]{36}", lambda: text(36)),
    # Installation tokens since 2025: the app's number, then a JSON web token.
    token(
        "github-app-jwt",
        "ghs_",
        r"\d{1,12}_eyJ[\w-]{10,600}\.eyJ[\w-]{10,1200}\.[\w-]{20,800}+",
        lambda: "12345_" + "eyJ" + text(40) + "." + "eyJ" + text(80) + "." + text(43),
    ),
    token("github-refresh-token", "ghr_", r"[A-Za-z0-9]{36,76}", lambda: text(76)),
    token(
        "github-fine-grained-pat", "github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", lambda: text(22) + "_" + text(59)
    ),
)

_GITLAB_BODY = r"[\w-]{20,300}+(?:\.[\w-]{2}\.[\w-]{7,12}|\.[\w-]{9,14})?"

GITLAB = (
    token(
        "gitlab-pat", "glpat-", _GITLAB_BODY, lambda: text(20), must=lambda: ("glpat-" + text(27) + ".01." + text(9),)
    ),
    token("gitlab-deploy-token", "gldt-", _GITLAB_BODY, lambda: text(20)),
    token("gitlab-runner-token", ("glrt-", "glrtr-"), _GITLAB_BODY, lambda: text(20)),
    token("gitlab-job-token", "glcbt-", r"[0-9a-zA-Z]{1,5}_[\w-]{20,60}+", lambda: "1f_" + text(20)),
    token("gitlab-trigger-token", "glptt-", r"[\w-]{40,60}+", lambda: hexed(40)),
    token("gitlab-oauth-secret", "gloas-", r"[\w-]{64}", lambda: text(64)),
    token("gitlab-agent-token", "glagent-", r"[\w-]{50,70}+", lambda: text(50)),
    token("gitlab-scim-token", "glsoat-", _GITLAB_BODY, lambda: text(20)),
    token("gitlab-mail-token", "glimt-", _GITLAB_BODY, lambda: text(25)),
    token("gitlab-feed-token", "glft-", _GITLAB_BODY, lambda: text(20)),
    token("gitlab-feature-flag-token", "glffct-", _GITLAB_BODY, lambda: text(20)),
    token("gitlab-registration-token", "GR1348941", r"[\w-]{20}", lambda: text(20)),
)

REGISTRIES = (
    token("npm-token", "npm_", r"[A-Za-z0-9]{36}", lambda: text(36)),
    token("pypi-token", ("pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"), r"[\w-]{50,1000}+", lambda: text(150)),
    token("rubygems-key", "rubygems_", r"[a-f0-9]{48}", lambda: hexed(48)),
    token("crates-io-token", "cio", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.5),
    token("nuget-api-key", "oy2", r"[a-z0-9]{43}", lambda: text(43, HEX + LOWER), entropy_min=3.0),
    token("clojars-token", "CLOJARS_", r"[a-z0-9]{60}", lambda: hexed(60)),
    token("dockerhub-token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{24,36}", lambda: text(27)),
    token("jfrog-api-key", "AKCp", r"[A-Za-z0-9]{69}", lambda: text(69)),
    token("jfrog-reference-token", "cmVmdGtuOj", r"[A-Za-z0-9]{54}", lambda: text(54)),
    token("hashicorp-vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{24,300}+", lambda: text(95), entropy_min=3.0),
    Rule(
        "terraform-cloud-token",
        (".atlasv1.",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}+",
        must=lambda: (text(14) + ".atlasv1." + text(67),),
        must_not=lambda: (text(9) + ".atlasv1." + text(67), text(14) + ".atlasv1." + text(7)),
        lead=14,
    ),
    token("pulumi-token", "pul-", r"[a-f0-9]{40}", lambda: hexed(40)),
)

BUILD = (
    named("bitbucket-access-token", "bitbucket", r"ATCTT3[\w=-]{80,260}+", lambda: "ATCTT3" + text(185)),
    token("bitbucket-app-password", "ATBB", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.0),
    named("bitbucket-secret", "bitbucket", r"[\w=-]{32,64}", lambda: "ATBB" + text(32), entropy_min=3.5),
    # Every real one goes on with `FfGF0`; one without is found where its name says what it is.
    token("atlassian-api-token", ("ATATT3xFfGF", "ATCTT3xFfGN", "ATSTT3xFfGF"), r"[\w=-]{80,260}+", lambda: text(185)),
    named(
        "atlassian-named-token",
        ("atlassian", "jira", "confluence"),
        r"AT[ACS]TT3[\w=-]{80,260}+",
        lambda: "ATATT3" + text(185),
    ),
    named(
        "atlassian-legacy-token",
        ("atlassian", "jira", "confluence"),
        r"[A-Za-z0-9]{24}",
        lambda: text(24),
        entropy_min=3.2,
    ),
    token(
        "circleci-token", ("CCIPAT_", "CCIPRJ_"), r"[A-Za-z0-9]{20,30}_[a-f0-9]{40}", lambda: text(22) + "_" + hexed(40)
    ),
    named("circleci-legacy-token", "circle", r"[a-f0-9]{40}", lambda: hexed(40)),
    token(
        "buildkite-token",
        ("bkua_", "bkat_", "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_"),
        r"[\w-]{40,340}+",
        lambda: hexed(40),
        entropy_min=3.0,
    ),
    named("buildkite-agent-token", "buildkite", r"[A-Za-z0-9]{40,50}", lambda: text(50), entropy_min=3.2),
    named("travis-token", "travis", r"[A-Za-z0-9_-]{20,22}", lambda: text(22), entropy_min=3.5),
    named("drone-token", "drone", r"[A-Za-z0-9]{32}", lambda: text(32), entropy_min=3.5),
    token("sonar-token", ("sqp_", "squ_", "sqa_"), r"[a-f0-9]{40}", lambda: hexed(40)),
    named("sonar-legacy-token", "sonar", r"[a-f0-9]{40}", lambda: hexed(40)),
    named("codecov-token", "codecov", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
    named("snyk-token", "snyk", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid),
    token("semgrep-token", "sgp_", r"[a-fA-F0-9_]{40,58}+", lambda: hexed(40)),
    token("sourcegraph-token", "sgp_", r"(?:[a-f0-9]{16}|local)_[a-f0-9]{40}", lambda: hexed(16) + "_" + hexed(40)),
    token("prefect-key", ("pnu_", "pnb_"), r"[A-Za-z0-9]{36}", lambda: text(36)),
    named("infracost-key", "infracost", r"ico-[A-Za-z0-9]{32}", lambda: "ico-" + text(32)),
    token("artifact-hub-deploy-key", "ahd_", r"[A-Za-z0-9]{40}", lambda: text(40)),
)

RULES = (*GITHUB, *GITLAB, *REGISTRIES, *BUILD)
