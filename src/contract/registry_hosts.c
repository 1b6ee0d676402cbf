/* SPDX-License-Identifier: Apache-2.0 */
/* registry_hosts.c: the hosts of public package registries. */
#include "contract/hosts.h"

/* clang-format off */
/* Only hosts where all that is served is packages: none where anybody keeps any file, such as a
 * cloud's storage or a forge; and exact names only. Each is a place something can be sent to, so
 * whoever needs one more names it in the list of the run. */
static const struct registry_host registry_hosts[] = {
    { "registry.npmjs.org",           "npm" },
    { "registry.yarnpkg.com",         "npm" },
    { "npm.pkg.github.com",           "npm" },
    { "pypi.org",                     "PyPI" },
    { "files.pythonhosted.org",       "PyPI" },
    { "crates.io",                    "crates.io" },
    { "index.crates.io",              "crates.io" },
    { "static.crates.io",             "crates.io" },
    { "static.rust-lang.org",         "Rust" },
    { "proxy.golang.org",             "Go" },
    { "sum.golang.org",               "Go" },
    { "rubygems.org",                 "RubyGems" },
    { "index.rubygems.org",           "RubyGems" },
    { "api.rubygems.org",             "RubyGems" },
    { "repo.maven.apache.org",        "Maven" },
    { "repo1.maven.org",              "Maven" },
    { "plugins.gradle.org",           "Gradle" },
    { "plugins-artifacts.gradle.org", "Gradle" },
    { "services.gradle.org",          "Gradle" },
    { "downloads.gradle.org",         "Gradle" },
    { "api.nuget.org",                "NuGet" },
    { "www.nuget.org",                "NuGet" },
    { "globalcdn.nuget.org",          "NuGet" },
    { "deb.debian.org",               "Debian" },
    { "security.debian.org",          "Debian" },
    { "ftp.debian.org",               "Debian" },
    { "archive.ubuntu.com",           "Ubuntu" },
    { "security.ubuntu.com",          "Ubuntu" },
    { "ports.ubuntu.com",             "Ubuntu" },
    { "packagist.org",                "Packagist" },
    { "repo.packagist.org",           "Packagist" },
    { "hex.pm",                       "Hex" },
    { "repo.hex.pm",                  "Hex" },
    { "builds.hex.pm",                "Hex" },
    { "conda.anaconda.org",           "conda" },
    { "repo.anaconda.com",            "conda" },
    { "dl-cdn.alpinelinux.org",       "Alpine" },
    { "mirrors.fedoraproject.org",    "Fedora" },
    { "dl.fedoraproject.org",         "Fedora" },
    { "geo.mirror.pkgbuild.com",      "Arch" },
    { "www.cpan.org",                 "CPAN" },
    { "cpan.metacpan.org",            "CPAN" },
    { "fastapi.metacpan.org",         "CPAN" },
    { "cran.r-project.org",           "CRAN" },
    { "cloud.r-project.org",          "CRAN" },
    { "hackage.haskell.org",          "Hackage" },
    { "opam.ocaml.org",               "opam" },
    { "pub.dev",                      "pub" },
    { "formulae.brew.sh",             "Homebrew" },
    { "cdn.cocoapods.org",            "CocoaPods" },
    { "jsr.io",                       "Deno" },
    { "npm.jsr.io",                   "Deno" },
    { "pkg.julialang.org",            "Julia" },
    { "luarocks.org",                 "LuaRocks" },
};

static const struct column registry_columns[] = {
    { "host",      COLUMN_TEXT, offsetof(struct registry_host, host) },
    { "ecosystem", COLUMN_TEXT, offsetof(struct registry_host, ecosystem) },
};
/* clang-format on */

const struct table registry_hosts_table = {
    .name = "registries",
    .about = "Hosts of package registries, which network level registry reaches.",
    COLUMNS(registry_columns),
    .keys = 2,
    ROWS(registry_hosts),
};
