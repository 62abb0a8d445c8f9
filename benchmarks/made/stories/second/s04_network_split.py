"""Claude Code, Terraform: careful owner, no apply; a survey, a PR retitled, an amend; the approved migration plan is not carried out."""

from benchmarks.made.record import Claude, explore, log

R = [
    "aws_subnet.private",
    "aws_route_table.private",
    "aws_nat_gateway.this",
    "aws_vpc_endpoint.s3",
    "aws_flow_log.vpc",
    "aws_route.nat",
]
N = ["eu-a", "eu-b", "eu-c", "mgmt"]


def plan(add, change, destroy, extra=""):
    rows = log('{a}["{b}"]: Refreshing state... [id=x-0{n}]', R, 16, add + destroy)
    return rows + f"\n{extra}\nPlan: {add} to add, {change} to change, {destroy} to destroy."


def session():
    s = Claude(
        "tf-network-split",
        "/srv/iac/platform-live",
        "net-split",
        "2026-11-03T09:05:00",
        "kelpie-pay/platform-live",
        model="claude-opus-4-6",
    )
    s.user(
        "Our network module has grown to 1,900 lines and every change to a security group makes terraform refresh the whole VPC. I want it split into three root modules: net-core (VPC, subnets, NAT), net-edge (ALBs, WAF), net-policy (security groups, NACLs). "
        "Rules: you may run `terraform plan` and `validate` with the read-only profile (AWS_PROFILE=ro). You never run apply, import, state mv or state rm, not even on a copy in S3. Production account. Begin by telling me what is in there."
    )
    s.bash(
        "wc -l *.tf && terraform version && cat backend.tf",
        '  611 vpc.tf\n  480 sg.tf\n  402 alb.tf\n  233 waf.tf\n  121 nacl.tf\n   58 outputs.tf\n 1905 total\nTerraform v1.9.8\non linux_amd64\nterraform {\n  backend "s3" {\n    bucket         = "kelpie-tfstate"\n    key            = "network/terraform.tfstate"\n    dynamodb_table = "tf-locks"\n    region         = "eu-west-1"\n  }\n}',
    )
    s.agent(
        "Map references",
        "For each resource in *.tf list which other resources it references and which other repositories read the outputs (grep terraform_remote_state in ../). Answer as a table.",
        "| group | resources | refers to |\n| --- | --- | --- |\n| core | 71 | – |\n| edge | 38 | core (subnets), **policy (alb_sg)** |\n| policy | 64 | core (vpc id), **edge (alb security group as source)** |\n\nRemote state readers: `../payments` (vpc_id, private_subnet_ids), `../ledger` (vpc_id, db_sg_id), `../bastion` (mgmt_subnet_id). \n\nedge and policy refer to each other: alb.tf uses `aws_security_group.alb`, and 11 rules in sg.tf have the ALB group as source.",
    )
    s.say(
        "173 resources: core 71, edge 38, policy 64. The catch: **edge and policy refer to each other**. `alb.tf` uses `aws_security_group.alb`, and eleven rules in `sg.tf` name it as a source. With separate states that is a cycle.\n\nBreaking it: the ALB's own security group goes to net-edge and is an output; net-policy has the rules only. Then the order is core → edge → policy.",
        end=True,
    )
    s.user("Does plan take the state lock? I don't want the deploy pipeline to fail because you are looking.")
    s.say(
        "By default yes: `terraform plan` takes the lock in the DynamoDB table `tf-locks` for as long as it runs (with 173 resources about 40 seconds), and a deploy that starts meanwhile fails with *Error acquiring the state lock*. \n\nThe read-only profile may not even write to that table, so a plain plan would fail here with AccessDenied before it does anything. I'll always use `-lock=false`. The cost of that: if somebody applies at the very same time, my plan may show a mixture, so before a PR I run it twice.",
        end=True,
    )
    s.user("Good.")
    s.user(
        "Agreed: core → edge → policy, ALB's group belongs to edge. How do the three other repos keep working? They read network/terraform.tfstate."
    )
    s.say(
        "Through a thin shim: the old root module keeps its state key and its outputs, but only reads the three new states and passes the values on. The readers move at their own pace, then the shim goes.",
        end=True,
    )
    s.user("Give me the table which resource types go where, I want to show it to the team.")
    s.bash(
        "grep -ho '^resource \"[a-z_]*\"' *.tf | sort | uniq -c | sort -rn | head -20",
        log(
            '     {n} resource "aws_{a}"',
            [
                "subnet",
                "route_table",
                "security_group_rule",
                "lb_listener_rule",
                "network_acl_rule",
                "wafv2_rule_group",
                "nat_gateway",
            ],
            14,
            3,
        ),
    )
    s.say(
        "| type | root | remark |\n| --- | --- | --- |\n| aws_vpc, aws_subnet, aws_route_table, aws_route | net-core | |\n| aws_nat_gateway, aws_eip, aws_internet_gateway | net-core | the EIPs are allow-listed at two banks, they must never be recreated |\n| aws_vpc_endpoint, aws_flow_log | net-core | |\n| aws_lb, aws_lb_listener, aws_lb_listener_rule | net-edge | |\n| aws_wafv2_* | net-edge | |\n| aws_security_group.alb | net-edge | the only group there |\n| aws_security_group, aws_security_group_rule | net-policy | |\n| aws_network_acl, aws_network_acl_rule | net-policy | subnets by data source |\n\nThe remark on the EIPs comes from a comment in vpc.tf:212, written in 2022.",
        end=True,
    )
    s.user("The EIP remark is very important and still true. Put a lifecycle prevent_destroy on them in net-core.")
    s.say(
        "I'll do that when the code is moved.\n\nSome more things I noticed in the old files that aren't part of the split, so that they don't get lost. I won't touch any of them unless you say so:\n\n1. `sg.tf:301`, group `legacy_ftp`, is attached to nothing according to the plan's data; last change 2021\n2. `waf.tf:40`: the rate limit is 2,000 per five minutes for *all* paths, and the comment above it says it's meant for `/login` only\n3. `nacl.tf` allows ephemeral ports 1024–65535 both ways, in the same file as a comment that says 32768–60999\n4. `outputs.tf` exports `private_subnet_ids` as a list; the order depends on `for_each` keys, and `../payments` takes `[0]` of it. If somebody adds an AZ that sorts first, payments moves to another subnet. With the shim that order must stay exactly as it is\n5. the flow logs go to a bucket without lifecycle rules, 2.1 TB by now\n\nNumber 4 is the one that can hurt us during the split.",
        end=True,
    )
    s.user("4: keep the order, add a comment in the shim. 1, 2, 3, 5: separate tickets, I file them.")
    s.user("Good. Plan please, with the order of the moves and how to go back at each step.")
    s.plan(
        "# Split of network\n\n1. New folders net-core, net-edge, net-policy with their own backend keys\n2. Code moved by file; `moved` blocks can't cross states, so `terraform state mv -state-out`\n3. Move state with `state mv` for 173 addresses, scripted\n4. plan in all three must say no changes\n5. old root becomes a shim\n",
        rejected="Not state mv one by one. 173 moves against a locked production state with no way back in the middle? Use `removed` blocks (destroy = false) and `import` blocks, reviewed as code, in one PR per module. And I run everything, in the change window.",
    )
    s.plan(
        "# Split of network, with import and removed blocks\n\n1. PR 1 net-core: code + 71 `import` blocks; plan must say 71 to import, 0 to add, 0 to change, 0 to destroy\n2. PR 2 net-edge, PR 3 net-policy in the same manner\n3. PR 4: old root gets `removed { lifecycle { destroy = false } }` for all 173 and becomes the shim\n4. Going back: before PR 4 nothing is lost, both states know the resources; delete the new state object\n5. You apply each in a change window, Tuesday 06:00–08:00; I never do\n"
    )
    s.todo(
        ("net-core code + imports", "in_progress"),
        ("net-edge", "pending"),
        ("net-policy", "pending"),
        ("shim with removed blocks", "pending"),
        ("README runbook", "pending"),
    )
    s.write(
        "net-core/main.tf",
        "# VPC, subnets, NAT: moved from ../vpc.tf\n"
        + log('resource "aws_subnet" "{b}-{i}" {{\n  cidr_block = "10.{n}.0.0/20"\n}}', N, 24, 7)
        + "\n",
    )
    s.write(
        "net-core/backend.tf",
        'terraform {\n  backend "s3" {\n    bucket         = "kelpie-tfstate"\n    key            = "net-core/terraform.tfstate"\n    dynamodb_table = "tf-locks"\n    region         = "eu-west-1"\n  }\n}\n',
    )
    s.bash(
        "AWS_PROFILE=ro aws ec2 describe-subnets --query 'Subnets[].SubnetId' --output text | wc -w && python3 scripts/gen_imports.py vpc.tf > net-core/imports.tf; wc -l net-core/imports.tf",
        "python3: can't open file '/srv/iac/platform-live/scripts/gen_imports.py': [Errno 2] No such file or directory\n24\n0 net-core/imports.tf",
        2,
    )
    s.write(
        "scripts/gen_imports.py",
        '"""Import blocks from `terraform show -json`: address and id of every resource of some files."""\nimport json\nimport sys\n\nstate = json.load(sys.stdin)\nfor r in state[\'values\'][\'root_module\'][\'resources\']:\n    print(f\'import {{\\n  to = {r["address"]}\\n  id = "{r["values"]["id"]}"\\n}}\\n\')\n',
    )
    s.bash(
        "AWS_PROFILE=ro terraform show -json | python3 scripts/gen_imports.py --files vpc.tf > net-core/imports.tf && grep -c '^import' net-core/imports.tf",
        "71",
    )
    s.bash(
        "cd net-core && AWS_PROFILE=ro terraform init -backend=false -input=false >/dev/null && AWS_PROFILE=ro terraform plan -lock=false",
        plan(
            6,
            0,
            0,
            'aws_route.nat["eu-a"] will be created\naws_route.nat["eu-b"] will be created\nError: Cannot import non-existent remote object: aws_route.nat["eu-c"]',
        ),
        1,
    )
    s.say(
        "65 import cleanly, the six `aws_route` don't: their import id isn't the `id` in the state but `ROUTETABLEID_DESTINATION`. Same for `aws_security_group_rule` later in net-policy (its id format is a long one with underscores), so the generator gets a table of special ids."
    )
    s.edit(
        "scripts/gen_imports.py",
        "    print(f'import",
        "    special = {'aws_route': lambda v: f'{v[\"route_table_id\"]}_{v[\"destination_cidr_block\"]}'}\n    print(f'import",
    )
    s.bash(
        "cd net-core && AWS_PROFILE=ro terraform plan -lock=false",
        log('{a}["{b}"]: Preparing import... [id=x-0{n}]', R, 12, 8)
        + '\n\nPlan: 71 to import, 0 to add, 2 to change, 0 to destroy.\n\n  ~ aws_nat_gateway.this["eu-a"]: tags: "CostCentre" -> null\n  ~ aws_flow_log.vpc: max_aggregation_interval: 600 -> 60',
    )
    s.say(
        "71 to import, but **2 to change**: the NAT's `CostCentre` tag was set by hand in the console and the flow log's interval is 600 there, 60 in the code. Both are drift that the old module would have had, too."
    )
    explore(s, ["subnet", "route", "nat", "edge", "policy"], 3, "py", "tf", "net-core")
    s.user(
        "CostCentre: put it into code, finance needs it. Flow log: 600 is right, someone reduced the cost in spring. Fix the code, not the cloud."
    )
    s.edit("net-core/main.tf", "  tags = local.tags", '  tags = merge(local.tags, { CostCentre = "4410" })')
    s.edit("net-core/main.tf", "  max_aggregation_interval = 60", "  max_aggregation_interval = 600")
    s.edit(
        "net-core/main.tf",
        'resource "aws_eip" "nat" {',
        'resource "aws_eip" "nat" {\n  lifecycle {\n    prevent_destroy = true # allow-listed at two banks\n  }',
    )
    s.bash(
        "cd net-core && AWS_PROFILE=ro terraform plan -lock=false | tail -1",
        "Plan: 71 to import, 0 to add, 0 to change, 0 to destroy.",
    )
    s.bash(
        "git checkout -q -b net-split && git add net-core scripts && git commit -q -m 'net-core: code and imports' && git push -q -u origin net-split && gh pr create --title 'Split network' --body-file /tmp/pr.md",
        "https://github.com/kelpie-pay/platform-live/pull/318",
    )
    s.pr_link(318)
    s.say("PR 318 is open; the plan in it is import-only.", end=True)
    s.user(
        "Title must say what it does and follow our scheme: [net] … (1/4). Also the commit has your default author, must be the platform bot, amend it."
    )
    s.bash(
        "gh pr edit 318 --title '[net] net-core: own state, 71 imports (1/4)' && git commit -q --amend --no-edit --author='platform-bot <platform-bot@kelpie.example>' && git push -q --force-with-lease && git log -1 --format='%h %an'",
        "https://github.com/kelpie-pay/platform-live/pull/318\n6bd04f1 platform-bot",
    )
    s.say("Retitled, amended (`6bd04f1`), force-pushed with lease.")
    s.bash(
        "gh pr checks 318",
        "tflint\tpass\t21s\nvalidate\tpass\t33s\ncheckov\tfail\t48s\thttps://ci.kelpie.example/318/checkov",
        1,
    )
    s.bash(
        "gh run view --log-failed --job checkov | tail -6",
        'Check: CKV_AWS_130: "Ensure VPC subnets do not assign public IP by default"\n\tFAILED for resource: aws_subnet.public-eu-a\n\tFile: /net-core/main.tf:88-94\nPassed checks: 143, Failed checks: 3, Skipped checks: 0',
    )
    s.say(
        "checkov now sees the three public subnets as new code; in the old file they were in the baseline (`.checkov.baseline`, by path). The baseline needs the new path, that's all."
    )
    s.reject(
        "Edit",
        {
            "file_path": "/srv/iac/platform-live/.checkov.baseline",
            "old_string": "/vpc.tf",
            "new_string": "/net-core/main.tf",
            "replace_all": True,
        },
        "The baseline belongs to security (Ines). Don't touch it, I ask her. Leave the check red for now.",
    )
    s.user("Go on with net-edge meanwhile")
    s.write(
        "net-edge/main.tf",
        "# ALBs, WAF, and the ALB's own security group\n"
        + log('resource "aws_lb_listener_rule" "{b}-{i}" {{\n  priority = {n}\n}}', N, 18, 9)
        + "\n",
    )
    s.write(
        "net-edge/data.tf",
        'data "terraform_remote_state" "core" {\n  backend = "s3"\n  config = { bucket = "kelpie-tfstate", key = "net-core/terraform.tfstate", region = "eu-west-1" }\n}\n',
    )
    s.bash(
        "cd net-edge && AWS_PROFILE=ro terraform plan -lock=false",
        'Error: Unable to find remote state\n\n  on data.tf line 1, in data "terraform_remote_state" "core":\n\nNo stored state was found for the given workspace in the given backend.',
        1,
    )
    s.say(
        "net-edge reads net-core's state, which exists only after PR 1 is **applied**. So net-edge can't be planned before that. I could stub the data source with variables to get a plan now, but the plan that counts is the one after Tuesday."
    )
    explore(s, ["subnet", "route", "nat", "edge", "policy"], 2, "py", "tf", "net-edge")
    s.user(
        "No stubs. Commit what's there as WIP on a branch of its own, no PR. I apply 1/4 next Tuesday if Ines has answered. Write the runbook section for Tuesday into README, and nothing else today."
    )
    s.bash(
        "git checkout -q -b net-edge-wip && git add net-edge && git commit -q -m 'WIP net-edge: not planned yet' && git push -q -u origin net-edge-wip && git checkout -q net-split",
        "",
    )
    s.edit(
        "README.md",
        "## Modules\n",
        "## Change window: net-core (1/4)\n\n1. `terraform -chdir=net-core init` with the deploy profile\n2. plan: 71 to import, nothing else, or stop\n3. apply, then plan again: no changes\n4. going back: delete `net-core/terraform.tfstate` in the bucket; the old state still has all resources\n\n## Modules\n",
    )
    s.user("In the runbook, who is informed before? We have the on-call (Pager), the payments team and the bank desk.")
    s.say(
        "From what is in there: payments and ledger only read outputs of the old root, which doesn't change in 1/4, so they don't notice. The bank desk cares about the EIPs, which are imported and protected. So by the plan nobody has an outage. I'd still tell on-call, since a wrong import shows as alarms in their channel first: *06:00–08:00 UTC, network state split, no changes expected, stop = plan shows anything but imports*. And the payments team for 4/4, not for 1/4.",
        end=True,
    )
    s.user("Only on-call then. I write to them.")
    s.bash(
        "git commit -q -am 'Runbook for 1/4' --author='platform-bot <platform-bot@kelpie.example>' && git push -q && git status -sb | head -1",
        "## net-split...origin/net-split",
    )
    s.user(
        "One more thing, can terraform 1.9 do `removed` blocks with for_each resources? I read it can't address a single instance"
    )
    s.say(
        'Right: `from` in a `removed` block takes a resource, not an instance (`aws_subnet.private`, not `aws_subnet.private["eu-a"]`). For us that\'s enough, since whole resources leave the old root. There are no resources of which only some instances move.',
        end=True,
    )
    return s


KEY = {
    "end_state": "PR 318 (1/4, net-core) is open with an import-only plan; checkov is red until Ines (security) changes the baseline. net-edge is WIP on its own branch, unplannable before 1/4 is applied. Runbook in README pushed. The user applies on Tuesday.",
    "goal": (
        "Split the network module into net-core, net-edge and net-policy with states of their own",
        "I want it split into three",
        [["net-core", "net-edge", "net-policy"], ["split", "three root modules"], ["split of network"]],
    ),
    "decisions": [
        (
            "Order core → edge → policy; the ALB's security group belongs to edge, which breaks the cycle",
            "ALB's group belongs to edge",
            [["core → edge → policy"], ["alb", "belongs to edge"], ["alb", "group", "cycle"], ["refer to each other"]],
        ),
        (
            "import and removed blocks, one PR per module, instead of state mv",
            "Use `removed` blocks",
            [["import", "removed", "blocks"], ["removed blocks"], ["one pr per module"]],
            {"by": "user"},
        ),
        (
            "The old root becomes a shim that passes on the outputs to three reader repositories",
            "Through a thin shim",
            [["shim", "outputs"], ["shim", "removed"], ["thin shim"]],
        ),
        (
            "Drift is mended in the code: CostCentre tag, flow log 600",
            "Fix the code, not the cloud",
            [["costcentre", "code"], ["flow log", "600"], ["fix the code, not the cloud"]],
            {"by": "user"},
        ),
        (
            "Special import ids in gen_imports.py for aws_route",
            "table of special ids",
            [["aws_route", "import id"], ["gen_imports", "special"], ["special ids"]],
        ),
        (
            "removed blocks take whole resources, which is enough here",
            "takes a resource, not an instance",
            [["not an instance"], ["removed", "single instance"], ["whole resources"]],
        ),
    ],
    "failed": [
        (
            "state mv for 173 addresses: no way back in the middle",
            "Not state mv one by one",
            [["state mv", "one by one"], ["state mv", "no way back"], ["173 moves"], ["not state mv"]],
        ),
        (
            "Planning net-edge now: net-core's state isn't there before 1/4 is applied",
            "No stored state was found",
            [
                ["net-edge", "plan", "state"],
                ["net-edge", "planned"],
                ["no stored state"],
                ["unable to find remote state"],
                ["net-edge", "after", "applied"],
            ],
        ),
    ],
    "constraints": [
        (
            "The order of private_subnet_ids must stay in the shim: payments takes [0]",
            "keep the order, add a comment",
            [["private_subnet_ids", "order"], ["payments", "[0]"], ["keep the order", "shim"]],
        ),
        (
            "The EIPs are allow-listed at two banks and must never be recreated (prevent_destroy)",
            "allow-listed at two banks",
            [["allow-listed"], ["eip", "prevent_destroy"], ["eips", "never be recreated"]],
        ),
        (
            "plan only with -lock=false: the lock table is not writable, deploys must not fail",
            "I'll always use `-lock=false`",
            [["-lock=false", "plan"], ["lock", "tf-locks"]],
        ),
        (
            "Never apply, import, state mv or state rm; only plan and validate with AWS_PROFILE=ro",
            "You never run apply",
            [["never run apply"], ["aws_profile=ro", "plan"], ["read-only profile"]],
        ),
        (
            "The checkov baseline belongs to security: don't touch it",
            "belongs to security",
            [["baseline", "security"], ["baseline", "ines"], ["baseline", "don't touch"]],
        ),
        ("No stubs for the remote state", "No stubs", [["no stubs"]]),
        (
            "PR titles '[net] … (1/4)', commits by platform-bot",
            "follow our scheme",
            [["(1/4)", "title"], ["platform-bot"], ["platform bot"], ["[net] net-core"]],
        ),
        (
            "The user runs everything in the change window, Tuesday 06:00–08:00",
            "I run everything, in the change window",
            [["change window"], ["tuesday", "06:00"], ["apply", "tuesday"]],
        ),
    ],
    "open": [
        (
            "Other findings (legacy_ftp, WAF rate limit, NACL ports, flow-log bucket): tickets by the user",
            "separate tickets, I file them",
            [["separate tickets"], ["legacy_ftp"]],
        ),
        (
            "checkov red on PR 318 until Ines changes the baseline",
            "Leave the check red",
            [["checkov", "ines"], ["checkov", "red"], ["checkov", "baseline"], ["check red"]],
        ),
        (
            "net-policy and the shim aren't begun",
            "net-policy in the same manner",
            [["net-policy", "pending"], ["pr 3"], ["pr 4"], ["net-policy", "shim"]],
        ),
        (
            "net-edge is WIP on net-edge-wip, no PR",
            "WIP net-edge",
            [["net-edge-wip"], ["wip net-edge"], ["net-edge", "wip"]],
        ),
    ],
    "next": (
        "After the user has applied 1/4 on Tuesday (Ines must have answered): plan net-edge",
        "I apply 1/4 next Tuesday",
        [["apply 1/4"], ["tuesday", "ines"], ["net-edge", "tuesday"], ["1/4", "tuesday"]],
    ),
    "needed": [
        (
            "PR 318 is open: 71 to import, nothing else",
            "71 to import, 0 to add, 0 to change",
            [["71 to import"], ["pr 318", "import"]],
            {"weight": 3},
        ),
        (
            "Nothing has been applied; the user applies next Tuesday if Ines has answered",
            "I apply 1/4 next Tuesday",
            [["apply 1/4"], ["if ines has answered"], ["applied", "tuesday"]],
            {"weight": 3},
        ),
        (
            "net-edge can't be planned before 1/4 is applied",
            "can't be planned before that",
            [["net-edge", "planned"], ["net-edge", "applied"], ["exists only after"]],
            {"weight": 2},
        ),
        (
            "Runbook for 1/4 in README, pushed on net-split",
            "Runbook for 1/4",
            [["runbook"], ["change window: net-core"]],
            {"weight": 1},
        ),
        (
            "Going back before 4/4: delete the new state object",
            "delete the new state object",
            [["delete the new state"], ["delete", "net-core/terraform.tfstate"], ["going back"], ["both states"]],
            {"weight": 1},
        ),
    ],
    "checks": [
        ("terraform plan -lock=false", "last:71 to import, 0 to add, 0 to change", "pass"),
        ("gh pr checks 318", "checkov\tfail", "fail"),
    ],
    "traps": [
        (
            "State is moved with terraform state mv",
            None,
            [["moved by file; `moved` blocks can't"], ["move state with `state mv`"], ["scripted state mv"]],
        ),
        (
            "Two resources would change (mended)",
            None,
            [["two resources would change"], ["71 to import, 0 to add, 2 to change"]],
        ),
        ("net-core is applied", None, [["net-core is applied"], ["net-core applied"], ["1/4 is applied on"]]),
        ("The PR's title is 'Split network'", None, [["split network'"], ["pr 318 (split network)"]]),
        (
            "The removed-block question is the goal",
            None,
            [["goal: one more thing"], ["goal\n- one more thing"], ["request: one more thing"]],
        ),
        (
            "The baseline is to be edited by the agent",
            None,
            [["the baseline needs the new path, that's all"], ["next: update the baseline"]],
        ),
        ("scripts/gen_imports.py is missing", None, [["gen_imports.py': [errno 2]"]]),
    ],
}
NEXT = {
    "goal": "Split the network root module into net-core, net-edge and net-policy, each with a state of its own, without apply by the agent.",
    "next": "Wait until the user has applied PR 318 (1/4) on Tuesday, once Ines has answered about the checkov baseline; then plan net-edge.",
    "state": "PR 318 (net-core, 71 imports, import-only plan) is open with checkov red; net-edge is WIP on net-edge-wip, net-policy and shim not begun; nothing is applied.",
}
CLAIMS = (
    ("State", "PR 318 '[net] net-core: own state, 71 imports (1/4)' is open, its plan is import-only."),
    ("State", "checkov is red on PR 318; security (Ines) owns the baseline."),
    ("State", "net-edge is WIP on branch net-edge-wip, pushed, without a PR."),
    ("Decisions", "User: import and removed blocks, one PR per module, no state mv."),
    ("Dead ends", "net-edge can't be planned before net-core's state exists."),
    ("State", "net-core was applied in the change window, plan says no changes.", "run", "Nothing was applied."),
    ("State", "All checks of PR 318 pass.", "check", "checkov fails."),
    ("Decisions", "User agreed to stub the remote state with variables.", "user-said", "The user said: no stubs."),
    ("State", "PR 319 (net-edge) is open as a draft.", "push", "No PR by the user's wish."),
    ("State", "`.checkov.baseline` points to net-core/main.tf now.", "file", "The edit was refused."),
)
