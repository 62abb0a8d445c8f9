"""Failures of go test, cargo test, make and maven."""

from __future__ import annotations

from .case import Case

_GO = """package shop

import "errors"

func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum
}

func Split(amount, parts int) (int, error) {
	if parts == 0 {
		return 0, errors.New("no parts")
	}
	return amount / parts, nil
}

func At(prices []int, n int) int {
	return prices[n]
}
"""


def _g(
    name: str,
    body: str,
    test: str,
    says: str,
    *values: str,
    shop: str = _GO,
    options: str = "./...",
    imports: str = '"testing"',
    **more: str,
) -> Case:
    files = {
        "go.mod": "module example.test/shop\n\ngo 1.19\n",
        "shop.go": shop,
        "shop_test.go": f"package shop\n\nimport (\n\t{imports}\n)\n\n{body}\n",
        **more,
    }
    return Case("go", name, f"go test {options}", files, test, says, values)


GO = [
    _g(
        "equal",
        'func TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 4 {\n\t\tt.Errorf("Total = %d, want %d", got, 4) // @here\n\t}\n}',
        "TestTotal",
        "Total = 3, want 4",
        "3",
        "4",
    ),
    _g(
        "verbose",
        'func TestOk(t *testing.T) { t.Log("fine") }\n\nfunc TestTotal(t *testing.T) {\n\tt.Fatalf("got %d, want %d", Total([]int{1}), 2) // @here\n}',
        "TestTotal",
        "got 1, want 2",
        "1",
        "2",
        options="-v ./...",
    ),
    _g(
        "sub",
        'func TestAll(t *testing.T) {\n\tt.Run("two parts", func(t *testing.T) {\n\t\tt.Errorf("expected 5, got 4") // @here\n\t})\n}',
        "TestAll/two_parts",
        "expected 5, got 4",
        "5",
        "4",
    ),
    _g(
        "panic",
        "func TestAt(t *testing.T) {\n\tAt([]int{1}, 3)\n}",
        "TestAt",
        "index out of range [3] with length 1",
        shop=_GO.replace("return prices[n]", "return prices[n] // @here"),
    ),
    _g("build", "func TestTotal(t *testing.T) {\n\tTotal(1, 2) // @here\n}", "", "too many arguments in call to Total"),
    _g("undefined", "func TestTotal(t *testing.T) {\n\tTotals(nil) // @here\n}", "", "undefined: Totals"),
    _g("vet", 'func TestTotal(t *testing.T) {\n\tt.Errorf("%d", "x") // @here\n}', "", "Errorf format %d has arg"),
    _g(
        "fatal",
        "func TestSplit(t *testing.T) {\n\t_, err := Split(3, 0)\n\tif err != nil {\n\t\tt.Fatal(err) // @here\n\t}\n}",
        "TestSplit",
        "no parts",
    ),
    _g(
        "two",
        'func TestA(t *testing.T) {\n\tt.Error("first of two") // @here\n}\n\nfunc TestB(t *testing.T) { t.Error("second") }',
        "TestA",
        "first of two",
    ),
    _g(
        "package",
        "func TestA(t *testing.T) {}",
        "TestDeep",
        "deep trouble",
        **{
            "deep/deep_test.go": 'package deep\n\nimport "testing"\n\nfunc TestDeep(t *testing.T) {\n\tt.Error("deep trouble") // @here\n}\n'
        },
    ),
    _g(
        "many-lines",
        'func TestA(t *testing.T) {\n\tt.Errorf("mismatch:\\n got: %v\\nwant: %v", []int{1}, []int{2}) // @here\n}',
        "TestA",
        "mismatch:",
        "[1]",
        "[2]",
    ),
    _g(
        "timeout",
        "func TestSlow(t *testing.T) {\n\ttime.Sleep(time.Minute) // @here\n}",
        "TestSlow",
        "test timed out after",
        options="-timeout 1s ./...",
        imports='"testing"\n\t"time"',
    ),
    _g(
        "helper",
        'func same(t *testing.T, a, b int) {\n\tt.Helper()\n\tif a != b {\n\t\tt.Fatalf("%d != %d", a, b)\n\t}\n}\n\nfunc TestSame(t *testing.T) {\n\tsame(t, Total([]int{7}), 8) // @here\n}',
        "TestSame",
        "7 != 8",
        "7",
        "8",
    ),
    _g(
        "json",
        'func TestTotal(t *testing.T) {\n\tt.Errorf("Total = %d, want %d", 3, 4) // @here\n}',
        "TestTotal",
        "Total = 3, want 4",
        "3",
        "4",
        options="-json ./...",
    ),
]

_RUST = """pub fn total(prices: &[i64]) -> i64 {
    prices.iter().sum()
}

pub fn split(amount: i64, parts: i64) -> Result<i64, String> {
    if parts == 0 {
        return Err("no parts".to_string());
    }
    Ok(amount / parts)
}

pub fn at(prices: &[i64], n: usize) -> i64 {
    prices[n]
}
"""


def _c(
    name: str,
    body: str,
    test: str,
    says: str,
    *values: str,
    shop: str = _RUST,
    command: str = "cargo test --offline",
    **more: str,
) -> Case:
    source = f"{shop}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{body}\n}}\n"
    files = {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": source,
        **more,
    }
    return Case("cargo", name, command, files, test, says, values)


CARGO = [
    _c(
        "equal",
        "    #[test]\n    fn adds() {\n        assert_eq!(total(&[1, 2]), 4); // @here\n    }",
        "tests::adds",
        "assertion `left == right` failed",
        "3",
        "4",
    ),
    _c(
        "message",
        '    #[test]\n    fn adds() {\n        assert_eq!(total(&[1]), 4, "the till is off"); // @here\n    }',
        "tests::adds",
        "the till is off",
        "1",
        "4",
    ),
    _c(
        "assert",
        "    #[test]\n    fn is_rich() {\n        assert!(total(&[]) > 0); // @here\n    }",
        "tests::is_rich",
        "assertion failed: total(&[]) > 0",
    ),
    _c(
        "panic",
        "    #[test]\n    fn takes() {\n        at(&[1], 3);\n    }",
        "tests::takes",
        "index out of bounds: the len is 1 but the index is 3",
        shop=_RUST.replace("prices[n]", "prices[n] // @here"),
    ),
    _c(
        "unwrap",
        "    #[test]\n    fn splits() {\n        split(3, 0).unwrap(); // @here\n    }",
        "tests::splits",
        'called `Result::unwrap()` on an `Err` value: "no parts"',
    ),
    _c(
        "ne",
        "    #[test]\n    fn differs() {\n        assert_ne!(total(&[2]), 2); // @here\n    }",
        "tests::differs",
        "assertion `left != right` failed",
        "2",
        "2",
    ),
    _c("build", '    #[test]\n    fn adds() {\n        let x: i64 = "a"; // @here\n    }', "", "mismatched types"),
    _c(
        "undefined",
        "    #[test]\n    fn adds() {\n        totals(); // @here\n    }",
        "",
        "cannot find function `totals`",
    ),
    _c(
        "two",
        '    #[test]\n    fn a_first() {\n        panic!("first of two"); // @here\n    }\n\n    #[test]\n    fn b_second() {\n        panic!("second");\n    }',
        "tests::a_first",
        "first of two",
        command="cargo test --offline -- --test-threads=1",
    ),
    _c(
        "result",
        "    #[test]\n    fn gives() -> Result<(), String> { // @nowhere\n        split(1, 0)?;\n        Ok(())\n    }",
        "tests::gives",
        'Error: "no parts"',
    ),
    _c(
        "should-panic",
        "    #[test]\n    #[should_panic]\n    fn panics() { // @nowhere\n        total(&[]);\n    }",
        "tests::panics",
        "test did not panic as expected",
    ),
    _c(
        "integration",
        "",
        "adds_up",
        "assertion `left == right` failed",
        "3",
        "5",
        **{"tests/whole.rs": "#[test]\nfn adds_up() {\n    assert_eq!(shop::total(&[3]), 5); // @here\n}\n"},
    ),
    _c(
        "warning-first",
        "    #[test]\n    fn adds() {\n        let unused = 1;\n        assert_eq!(total(&[1, 2]), 4); // @here\n    }",
        "tests::adds",
        "assertion `left == right` failed",
        "3",
        "4",
    ),
]


def _m(
    name: str, makefile: str, says: str, *, test: str = "", values: tuple[str, ...] = (), target: str = "", **files: str
) -> Case:
    return Case("make", name, f"make {target}".strip(), {"Makefile": makefile, **files}, test, says, values)


MAKE = [
    _m(
        "gcc",
        "all: shop.o\n\nshop.o: shop.c\n\tgcc -c shop.c -o shop.o\n",
        "expected ‘;’|expected ';'",
        **{"shop.c": "int total(int a) {\n  return a // @here\n}\n"},
    ),
    _m(
        "gcc-type",
        "all:\n\tgcc -Wall -Werror -c shop.c -o shop.o\n",
        "unused variable",
        **{"shop.c": "int total(int a) {\n  int unused = 3; /* @here */\n  return a;\n}\n"},
    ),
    _m(
        "gcc-undeclared",
        "all:\n\tgcc -c src/shop.c -o shop.o\n",
        "undeclared",
        **{"src/shop.c": "int total(void) {\n  return tilt; /* @here */\n}\n"},
    ),
    _m(
        "link",
        "all:\n\tgcc shop.c -o shop # @here\n",
        "undefined reference to `tilt'",
        **{"shop.c": "int tilt(void);\nint main(void) { return tilt(); }\n"},
    ),
    _m("no-rule", "all: nonesuch.txt\n\tcat nonesuch.txt\n", "No rule to make target 'nonesuch.txt'"),
    _m(
        "recipe",
        "all:\n\t@echo start\n\t@sh -c 'echo \"error: the till is shut\" >&2; exit 3' # @here\n",
        "the till is shut",
    ),
    _m("separator", "all:\n    echo spaces # @here\n", "missing separator"),
    _m("not-found", "all:\n\tnonesuch-program --go # @here\n", "nonesuch-program"),
    _m(
        "pytest",
        "test:\n\tpython -m pytest -q -p no:cacheprovider\n",
        "assert 3 == 4",
        test="test_shop.py::test_total",
        values=("3", "4"),
        target="test",
        **{"test_shop.py": "def test_total():\n    assert sum([1, 2]) == 4  # @here\n"},
    ),
    _m(
        "sub-make",
        "all:\n\t$(MAKE) -C lib\n",
        "undeclared",
        **{
            "lib/Makefile": "all:\n\tgcc -c shop.c -o shop.o\n",
            "lib/shop.c": "int total(void) {\n  return tilt; /* @here */\n}\n",
        },
    ),
    _m("silent", "all:\n\t@false # @here\n", "Error 1"),
    _m(
        "script",
        "check:\n\t@python check.py\n",
        "ValueError: the till is off by 3",
        target="check",
        **{"check.py": "def main():\n    raise ValueError('the till is off by 3')  # @here\n\n\nmain()\n"},
    ),
    _m(
        "assert-c",
        "all:\n\t@gcc t.c -o t && ./t\n",
        "Assertion `total == 4' failed",
        **{
            "t.c": "#include <assert.h>\nint main(void) {\n  int total = 3;\n  assert(total == 4); /* @here */\n  return 0;\n}\n"
        },
    ),
]

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
</project>
"""
_CART = """package shop;

public class Cart {
  public int total(int a, int b) {
    return a + b;
  }

  public int first(int[] prices) {
    return prices[0];
  }
}
"""


def _j(name: str, body: str, test: str, says: str, *values: str, shop: str = _CART, **more: str) -> Case:
    head = "package shop;\n\nimport static org.junit.Assert.*;\nimport org.junit.*;\n\npublic class CartTest {\n"
    files = {
        "pom.xml": _POM,
        "src/main/java/shop/Cart.java": shop,
        "src/test/java/shop/CartTest.java": f"{head}{body}\n}}\n",
        **more,
    }
    return Case("maven", name, "mvn -o -B -s /etc/maven/settings-debian.xml test", files, test, says, values)


MAVEN = [
    _j(
        "equal",
        "  @Test public void adds() {\n    assertEquals(6, new Cart().total(2, 3)); // @here\n  }",
        "CartTest.adds",
        "expected:<6> but was:<5>",
        "6",
        "5",
    ),
    _j(
        "text",
        '  @Test public void names() {\n    assertEquals("ebb", "ebbs"); // @here\n  }',
        "CartTest.names",
        "expected:<ebb[]> but was:<ebb[s]>",
        "ebb[]",
        "ebb[s]",
    ),
    _j(
        "message",
        '  @Test public void adds() {\n    assertEquals("the till is off", 6, new Cart().total(2, 3)); // @here\n  }',
        "CartTest.adds",
        "the till is off",
        "6",
        "5",
    ),
    _j(
        "true",
        "  @Test public void rich() {\n    assertTrue(new Cart().total(0, 0) > 0); // @here\n  }",
        "CartTest.rich",
        "AssertionError",
    ),
    _j(
        "error",
        "  @Test public void first() {\n    new Cart().first(new int[0]); // @here (surefire cuts what lies deeper)\n  }",
        "CartTest.first",
        "ArrayIndexOutOfBoundsException",
    ),
    _j(
        "two",
        '  @Test public void a() {\n    fail("first of two"); // @here\n  }\n\n  @Test public void b() { assertEquals(1, 1); }',
        "CartTest.a",
        "first of two",
    ),
    _j(
        "before",
        '  @Before public void sea() {\n    throw new IllegalStateException("no sea"); // @here\n  }\n\n  @Test public void swims() { }',
        "CartTest.swims",
        "IllegalStateException: no sea",
    ),
    _j(
        "expected",
        "  @Test(expected = IllegalStateException.class) public void throwsIt() { // @nowhere\n    new Cart().total(1, 1);\n  }",
        "CartTest.throwsIt",
        "Expected exception: java.lang.IllegalStateException",
    ),
    _j(
        "compile",
        "  @Test public void adds() { }",
        "",
        "incompatible types",
        shop=_CART.replace("return a + b;", 'return "a"; // @here'),
    ),
    _j(
        "compile-test", "  @Test public void adds() {\n    new Cart().totals(); // @here\n  }", "", "cannot find symbol"
    ),
    _j(
        "second-class",
        "  @Test public void ok() { }",
        "TillTest.shut",
        "the till is shut",
        **{
            "src/test/java/shop/TillTest.java": 'package shop;\n\nimport org.junit.*;\n\npublic class TillTest {\n  @Test public void shut() {\n    Assert.fail("the till is shut"); // @here\n  }\n}\n'
        },
    ),
]

CASES = [*GO, *CARGO, *MAKE, *MAVEN]
