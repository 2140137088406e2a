//! One tree for each rule and construction of the conversion.
#![allow(missing_docs)]

mod common;

use common::{REFERENCE, REFINED, arcs, check, read};
use pleach_phrase::{Stage, convert, convert_sentence, enriched, explain};

/// The running example of the paper.
const PUDONG: &str = "( (IP (NP-PN-SBJ (NR 浦东)) (VP (LCP-TMP (NP (NT 近年)) (LC 来)) (VP (VCD (VV 颁布) (VV 实行)) (AS 了) (NP-OBJ (CP (WHNP-1 (-NONE- *OP*)) (CP (IP (NP-SBJ (-NONE- *T*-1)) (VP (VV 涉及) (NP-OBJ (NP (NN 经济)) (NP (NN 领域))))) (DEC 的))) (NP (NN 法规性) (NN 文件)))))) )";

#[test]
fn the_running_example_is_figure_1() {
    check(
        PUDONG,
        REFERENCE,
        "颁布 SBJ 浦东, 实行 SBJ 浦东, 来 COMP 近年, 颁布 TMP 来, 实行 TMP 来, 0 ROOT 颁布, 0 ROOT 实行,
         颁布 PRT 了, 实行 PRT 了, 的 COMP 涉及, 领域 NMOD 经济, 涉及 OBJ 领域, 文件 RELATIVE 的, 文件 NMOD 法规性,
         颁布 OBJ 文件, 实行 OBJ 文件, 涉及 SBJ*ldd* 文件",
    );
}

#[test]
fn stages_look_like_figures_3_and_4() {
    let sentence = read(PUDONG).remove(0);
    let phrase = sentence.phrase.as_deref().unwrap();
    let first = explain(phrase, &REFERENCE, Stage::Functions);
    let expected = "\
IP
  NP ↓=(↑ SBJ)
    NR ↓=↑ 浦东
  VP ↓=↑
    LCP ↓∈(↑ TMP)
      NP ↓=(↑ COMP)
        NT ↓=↑ 近年
      LC ↓=↑ 来
    VP ↓=↑
      VCD ↓=↑
        VV ↓∈↑ 颁布
        VV ↓∈↑ 实行
      AS ↓=(↑ PRT) 了
      NP ↓=(↑ OBJ)
        CP ↓∈(↑ RELATIVE)
";
    assert!(first.starts_with(expected), "{first}");
    let third = explain(phrase, &REFERENCE, Stage::Traces);
    assert!(third.contains("-NONE- ↓=↑ *T*-1\n") && third.contains("NP-1 ↓=↑\n"), "{third}");
    let heads = explain(phrase, &REFERENCE, Stage::Heads);
    for line in ["IP{颁布,实行}\n", "VCD{颁布,实行}\n", "NP{文件*ldd}\n", "CP{的}\n", "LCP{来}\n"]
    {
        assert!(heads.contains(line), "{line}{heads}");
    }
    let arcs = explain(phrase, &REFERENCE, Stage::Arcs);
    assert!(
        arcs.contains("涉及-7 --SBJ*ldd*--> 文件-12\n") && arcs.contains("ROOT-0 --ROOT--> 颁布-4\n"),
        "{arcs}"
    );
    let drawn = enriched(phrase, &REFERENCE, Stage::Traces);
    assert_eq!(drawn.children()[0].children()[0].label(), "NP ↓=(↑ SBJ)");
}

#[test]
fn noun_phrases() {
    // Adjuncts by category, functional tags ignored.
    check(
        "( (NP (DP (DT 这)) (QP (CD 三)) (ADJP (JJ 新)) (DNP (NP (NR 中国)) (DEG 的)) (NP-APP (NN 总理)) (PP (P 对) (NP (NR 美))) (LCP (NP (NN 内)) (LC 中)) (NP (NN 书))) )",
        REFERENCE,
        "书 DMOD 这, 书 DMOD 三, 书 AMOD 新, 的 COMP 中国, 书 NMOD 的, 书 NMOD 总理, 书 AMOD 对, 对 OBJ 美, 中 COMP 内, 0 ROOT 书",
    );
    // Leaves only: pronouns and numbers get no function.
    check(
        "( (NP (DT 该) (JJ 大) (NR 北京) (NT 今日) (PN 我) (CD 三) (NN 厂)) )",
        REFERENCE,
        "厂 DMOD 该, 厂 AMOD 大, 厂 NMOD 北京, 厂 NMOD 今日, 0 ROOT 厂",
    );
    // A leaf head with phrases beside it: complements, or what their tags say.
    check(
        "( (NP (ADJP (JJ 新)) (NP-APP (NN 总理)) (NN 书)) )",
        REFERENCE,
        "书 COMP 新, 书 APP 总理, 0 ROOT 书",
    );
    check("( (NP (IP (VP (VV 去))) (NP (NN 事))) )", REFERENCE, "事 APP 去, 0 ROOT 事");
    check("( (NP (DP (DT 各) (NP (NN 地))) (NP (NN 人))) )", REFERENCE, "各 OBJ 地, 人 DMOD 各, 0 ROOT 人");
    check(
        "( (NP (QP (ADVP (AD 约)) (QP (CD 十) (CLP (M 本)))) (NP (NN 书))) )",
        REFERENCE,
        "十 ADV 约, 十 COMP 本, 书 DMOD 十, 0 ROOT 书",
    );
}

#[test]
fn coordination() {
    // Leaves in a row are one conjunct.
    check(
        "( (NP (NN 经济) (NN 贸易) (CC 和) (JJ 新) (NN 金融) (ETC 等)) )",
        REFERENCE,
        "贸易 NMOD 经济, 金融 NMOD 新, 0 ROOT 贸易, 0 ROOT 金融",
    );
    check("( (NP (NN 甲) (PU 、) (NN 乙) (PU 、) (NN 丙)) )", REFERENCE, "0 ROOT 甲, 0 ROOT 乙, 0 ROOT 丙");
    // Leaves with different tags are no list without a conjunction.
    check("( (NP (NR 甲) (PU 、) (NN 乙)) )", REFERENCE, "乙 NMOD 甲, 0 ROOT 乙");
    check(
        "( (VP (VP (VV 来)) (PU ，) (VP (VV 看)) (PU ，) (VP (VV 走))) )",
        REFERENCE,
        "0 ROOT 来, 0 ROOT 看, 0 ROOT 走",
    );
    check(
        "( (IP (NP-SBJ (NN 书)) (VP (ADVP (AD 很)) (VP (VA 好)) (CC 和) (VP (VA 新))) (PU 。)) )",
        REFERENCE,
        "0 ROOT 很, 0 ROOT 好, 0 ROOT 新, 很 SBJ 书, 好 SBJ 书, 新 SBJ 书",
    );
    check("( (ADJP (JJ 大) (PU 、) (JJ 新)) )", REFERENCE, "0 ROOT 大, 0 ROOT 新");
    check("( (UCP (ADJP (JJ 大)) (PU 、) (NP (NN 新))) )", REFERENCE, "0 ROOT 大, 0 ROOT 新");
    check("( (QP (CD 三) (PU 、) (CD 四)) )", REFERENCE, "0 ROOT 三, 0 ROOT 四");
    // Prepositional phrases and localisers keep only the last conjunct in the paper's graphs.
    let places = "( (VP (PP-LOC (PP (P 在) (NP (NN 家))) (CC 和) (PP (P 从) (NP (NN 校)))) (VP (VV 读))) )";
    check(places, REFERENCE, "读 LOC 从, 在 OBJ 家, 从 OBJ 校, 0 ROOT 读");
    check(places, REFINED, "读 LOC 在, 读 LOC 从, 在 OBJ 家, 从 OBJ 校, 0 ROOT 读");
}

#[test]
fn verb_phrases() {
    check(
        "( (IP (NP-SBJ (PN 他)) (VP (VV 放) (AS 了) (NP-IO (PN 我)) (NP-OBJ (NN 书)) (PP-PUT (P 在) (LCP (NP (NN 桌)) (LC 上))) (QP-EXT (CD 三))) (PU 。)) )",
        REFERENCE,
        "放 SBJ 他, 放 PRT 了, 放 IO 我, 放 OBJ 书, 放 COMP 在, 在 COMP 上, 上 COMP 桌, 放 EXT 三, 0 ROOT 放",
    );
    // Leaves only: an aspect marker is a particle, anything else has no name.
    check("( (VP (AD 不) (VV 吃) (AS 过)) )", REFERENCE, "吃 OTHER 不, 吃 PRT 过, 0 ROOT 吃");
    // Auxiliaries, also before de and in a row.
    check("( (VP (VV 应该) (VP (VV 能) (VP (VV 去)))) )", REFERENCE, "去 AUX 应该, 去 AUX 能, 0 ROOT 去");
    check(
        "( (VP (VV 跑) (DER 得) (VP (ADVP (AD 很)) (VP (VA 快)))) )",
        REFERENCE,
        "快 AUX 跑, 快 AUX 得, 快 ADV 很, 0 ROOT 快",
    );
    // A clause under a verb phrase is a complement whatever its tag.
    check("( (VP (VV 说) (IP-OBJ (VP (VV 去)))) )", REFERENCE, "说 COMP 去, 0 ROOT 说");
    check("( (VP (IP-ADV (VP (VV 去))) (VP (VV 说))) )", REFERENCE, "说 COMP 去, 0 ROOT 说");
    check("( (VP (CP-PRP (IP (VP (VV 去)))) (VP (VV 说))) )", REFERENCE, "说 PRP 去, 0 ROOT 说");
    // Serial verbs, also after modifiers.
    check(
        "( (IP (NP-SBJ (PN 他)) (VP (ADVP (AD 常)) (VP (VV 去)) (VP (VV 买) (NP-OBJ (NN 书))))) )",
        REFERENCE,
        "去 SBJ 他, 买 SBJ 他, 去 ADV 常, 买 ADV 常, 买 OBJ 书, 0 ROOT 去, 0 ROOT 买",
    );
}

#[test]
fn verb_compounds() {
    for category in ["VRD", "VSB", "VPT"] {
        let tree = format!("( (VP ({category} (VV 看) (VV 完)) (AS 了)) )");
        check(&tree, REFERENCE, "完 PRT 看, 完 PRT 了, 0 ROOT 完");
    }
    check("( (VP (VNV (VV 去) (AD 不) (VV 走))) )", REFERENCE, "走 PRT 去, 走 PRT 不, 0 ROOT 走");
    check("( (VP (VCD (VV 看) (VV 完)) (AS 了)) )", REFERENCE, "0 ROOT 看, 0 ROOT 完, 看 PRT 了, 完 PRT 了");
    check("( (VP (VCP (VV 看) (VV 成)) (NP-OBJ (NN 书))) )", REFERENCE, "成 OBJ 书, 0 ROOT 成");
    check("( (VP (VRD (VV 看) (VV 完)) (NP-OBJ (NN 书))) )", REFINED, "看 PRT 完, 看 OBJ 书, 0 ROOT 看");
    check("( (VP (VCP (VV 看) (VV 成)) (NP-OBJ (NN 书))) )", REFINED, "看 PRT 成, 看 OBJ 书, 0 ROOT 看");
}

#[test]
fn clauses() {
    check(
        "( (IP (NP-TPC (NN 书)) (NP-TMP (NT 今天)) (NP-SBJ (PN 我)) (ADVP (AD 不)) (VP (VV 读)) (PU 。)) )",
        REFERENCE,
        "读 TPC 书, 读 TMP 今天, 读 SBJ 我, 读 ADV 不, 0 ROOT 读",
    );
    check("( (IP (NP-SBJ (NT 今天)) (NP-PRD (NN 晴天))) )", REFERENCE, "晴天 SBJ 今天, 0 ROOT 晴天");
    // Any punctuation makes a list of phrases with one label in the paper's graphs.
    let stop = "( (IP (NP-SBJ (NT 今天)) (NP-PRD (NN 晴天)) (PU 。)) )";
    check(stop, REFERENCE, "0 ROOT 今天, 0 ROOT 晴天");
    check(stop, REFINED, "晴天 SBJ 今天, 0 ROOT 晴天");
    // Brackets around a clause are set aside.
    check(
        "( (IP (PU “) (NP-SBJ (PN 我)) (ADVP (AD 不)) (VP (VV 去)) (PU ”)) )",
        REFERENCE,
        "去 SBJ 我, 去 ADV 不, 0 ROOT 去",
    );
    check(
        "( (CP (ADVP (CS 如果)) (CP (IP (VP (VV 去))) (SP 的话))) )",
        REFERENCE,
        "的话 ADV 如果, 的话 COMP 去, 0 ROOT 的话",
    );
    check("( (CP (IP (VP (VV 去))) (PU ，) (DEC 的)) )", REFERENCE, "的 COMP 去, 0 ROOT 的");
    // A clause in a clause of its own is the clause.
    check(
        "( (VP (VV 说) (IP (IP (NP-SBJ (PN 你)) (VP (VV 去))))) )",
        REFERENCE,
        "说 COMP 去, 去 SBJ 你, 0 ROOT 说",
    );
    // A particle in the clause itself.
    let particle = "( (IP (NP-SBJ (PN 他)) (VP (VV 走)) (SP 了) (PU 。)) )";
    check(particle, REFERENCE, "了 SBJ 他, 了 ADV 走, 0 ROOT 了");
    check(particle, REFINED, "走 SBJ 他, 走 PRT 了, 0 ROOT 走");
}

#[test]
fn adverbs_prepositions_and_fragments() {
    check("( (ADVP (ADVP (AD 很)) (ADVP (AD 快))) )", REFERENCE, "快 ADV 很, 0 ROOT 快");
    check("( (ADVP (AD 很) (AD 快)) )", REFERENCE, "快 ADV 很, 0 ROOT 快");
    check("( (ADJP (ADVP (AD 很)) (JJ 快)) )", REFERENCE, "0 ROOT 快");
    check(
        "( (PP (ADVP (AD 仅)) (PP (P 在) (IP (VP (VV 去))))) )",
        REFERENCE,
        "在 ADV 仅, 在 COMP 去, 0 ROOT 在",
    );
    check("( (DVP (ADVP (AD 快)) (DEV 地)) )", REFERENCE, "地 COMP 快, 0 ROOT 地");
    check("( (FRAG (NR 新华社) (NR 北京) (NN 电)) )", REFERENCE, "0 ROOT 电");
    check("( (FRAG (NR 新华社) (NR 北京) (NN 电)) )", REFINED, "电 NMOD 新华社, 电 NMOD 北京, 0 ROOT 电");
    check(
        "( (FRAG (PU （) (NP (NR 王明)) (NP-TMP (NT 今天)) (NP (NN 摄)) (PU ）)) )",
        REFERENCE,
        "摄 TMP 今天, 0 ROOT 摄",
    );
    check("( (NP (NN 代表) (PRN (PU （) (NP (NR 王明)) (PU ）))) )", REFERENCE, "0 ROOT 代表");
    check("( (NP (NN 代表) (PRN (PU （) (NP (NR 王明)) (PU ）))) )", REFINED, "代表 APP 王明, 0 ROOT 代表");
    check(
        "( (NP (UCP (ADJP (JJ 国际)) (CC 和) (NP (NN 地区))) (NP (NN 合作))) )",
        REFINED,
        "合作 NMOD 国际, 合作 NMOD 地区, 0 ROOT 合作",
    );
    check("( (NP (PN 我) (NN 朋友)) )", REFINED, "朋友 NMOD 我, 0 ROOT 朋友");
}

#[test]
fn control() {
    let object = "( (IP (NP-SBJ (NN 师)) (VP (VV 要) (NP-OBJ (NN 生)) (IP-OBJ (NP-SBJ (-NONE- *PRO*)) (VP (VV 来))))) )";
    check(object, REFERENCE, "要 SBJ 师, 要 OBJ 生, 要 COMP 来, 来 SBJ*ldd* 生, 0 ROOT 要");
    // Only when the three stand alone; else the subject above controls.
    let aspect = "( (IP (NP-SBJ (NN 师)) (VP (VV 要) (AS 了) (NP-OBJ (NN 生)) (IP-OBJ (NP-SBJ (-NONE- *PRO*)) (VP (VV 来))))) )";
    check(aspect, REFERENCE, "要 SBJ 师, 要 PRT 了, 要 OBJ 生, 要 COMP 来, 来 SBJ*ldd* 师, 0 ROOT 要");
    check(aspect, REFINED, "要 SBJ 师, 要 PRT 了, 要 OBJ 生, 要 COMP 来, 来 SBJ*ldd* 生, 0 ROOT 要");
    let empty = "( (IP (NP-SBJ (NN 师)) (VP (VV 要) (NP-OBJ (-NONE- *pro*)) (IP-OBJ (NP-SBJ (-NONE- *PRO*)) (VP (VV 来))))) )";
    check(empty, REFERENCE, "要 SBJ 师, 要 COMP 来, 来 SBJ*ldd* 师, 0 ROOT 要");
    // A chain of PROs has one antecedent.
    let chain = "( (IP (NP-SBJ (PN 他)) (VP (VV 想) (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 去) (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 买))))))) )";
    check(chain, REFERENCE, "想 SBJ 他, 想 COMP 去, 去 SBJ*ldd* 他, 去 COMP 买, 买 SBJ*ldd* 他, 0 ROOT 想");
    // Through an auxiliary, an adjunct, a coordination of verb phrases.
    let through = "( (IP (NP-SBJ (PN 他)) (VP (ADVP (AD 不)) (VP (VV 能) (VP (VV 想) (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 去)))))))  )";
    check(through, REFERENCE, "想 SBJ 他, 想 ADV 不, 想 AUX 能, 想 COMP 去, 去 SBJ*ldd* 他, 0 ROOT 想");
    // Two PROs of one subject: the paper's graphs have the first only.
    let two = "( (IP (NP-SBJ (PN 他)) (VP (PP (P 为) (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 学)))) (VP (VV 想) (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 去)))))) )";
    check(two, REFERENCE, "想 SBJ 他, 想 ADV 为, 为 COMP 学, 学 SBJ*ldd* 他, 想 COMP 去, 0 ROOT 想");
    check(
        two,
        REFINED,
        "想 SBJ 他, 想 ADV 为, 为 COMP 学, 学 SBJ*ldd* 他, 想 COMP 去, 去 SBJ*ldd* 他, 0 ROOT 想",
    );
    // Not out of a noun phrase or a relative clause.
    let noun = "( (IP (NP-SBJ (PN 他)) (VP (VV 有) (NP-OBJ (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 去))) (NP (NN 事))))) )";
    check(noun, REFERENCE, "有 SBJ 他, 事 APP 去, 有 OBJ 事, 0 ROOT 有");
}

#[test]
fn localisers() {
    let first = "( (IP (NP-SBJ (PN 他)) (VP (LCP-TMP (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 回))) (LC 后)) (VP (VV 睡)))) )";
    check(first, REFERENCE, "睡 SBJ 他, 后 COMP 回, 回 SBJ*ldd* 他, 睡 TMP 后, 0 ROOT 睡");
    let later =
        "( (IP (LCP-TMP (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 回))) (LC 后)) (NP-SBJ (PN 他)) (VP (VV 睡))) )";
    check(later, REFERENCE, "睡 SBJ 他, 后 COMP 回, 睡 TMP 后, 0 ROOT 睡");
    // Of two the first is linked; the subject has one index in the paper's graphs.
    let two = "( (IP (NP-SBJ (PN 他)) (VP (LCP-TMP (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 回))) (LC 后)) (LCP-TMP (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 走))) (LC 前)) (VP (VV 睡)))) )";
    check(
        two,
        REFERENCE,
        "睡 SBJ 他, 后 COMP 回, 回 SBJ*ldd* 他, 睡 TMP 后, 前 COMP 走, 睡 TMP 前, 0 ROOT 睡",
    );
    // An adjunct before the subject does not count: the clause is split.
    let adjunct = "( (IP (ADVP (AD 常)) (NP-SBJ (PN 他)) (VP (LCP-TMP (IP (NP-SBJ (-NONE- *PRO*)) (VP (VV 回))) (LC 后)) (VP (VV 睡)))) )";
    check(adjunct, REFERENCE, "睡 ADV 常, 睡 SBJ 他, 后 COMP 回, 回 SBJ*ldd* 他, 睡 TMP 后, 0 ROOT 睡");
}

#[test]
fn relative_clauses() {
    let relative =
        |clause: &str| format!("( (NP (CP (WHNP-1 (-NONE- *OP*)) (CP {clause} (DEC 的))) (NP (NN 人))) )");
    let object = relative("(IP (NP-SBJ (PN 我)) (VP (ADVP (AD 常)) (VP (VV 见) (NP-OBJ (-NONE- *T*-1)))))");
    check(&object, REFERENCE, "见 SBJ 我, 见 ADV 常, 的 COMP 见, 人 RELATIVE 的, 见 OBJ*ldd* 人, 0 ROOT 人");
    // Both verbs of a coordination.
    let both = relative("(IP (NP-SBJ (-NONE- *T*-1)) (VP (VP (VV 来)) (CC 和) (VP (VV 去))))");
    check(
        &both,
        REFERENCE,
        "的 COMP 来, 的 COMP 去, 人 RELATIVE 的, 来 SBJ*ldd* 人, 去 SBJ*ldd* 人, 0 ROOT 人",
    );
    // Not from a prepositional phrase, nor through another clause, except in the refined style.
    let deep = relative("(IP (NP-SBJ (PN 我)) (VP (VV 说) (IP (NP-SBJ (-NONE- *T*-1)) (VP (VV 来)))))");
    check(&deep, REFERENCE, "说 SBJ 我, 说 COMP 来, 的 COMP 说, 人 RELATIVE 的, 0 ROOT 人");
    check(&deep, REFINED, "说 SBJ 我, 说 COMP 来, 的 COMP 说, 人 RELATIVE 的, 来 SBJ*ldd* 人, 0 ROOT 人");
    let place = relative("(IP (NP-SBJ (PN 我)) (VP (PP-LOC (P 在) (NP (-NONE- *T*-1))) (VP (VV 住))))");
    check(&place, REFERENCE, "住 SBJ 我, 住 LOC 在, 的 COMP 住, 人 RELATIVE 的, 0 ROOT 人");
    // Quotation marks after the noun are not the noun.
    check(
        "( (NP (CP (WHNP-1 (-NONE- *OP*)) (CP (IP (NP-SBJ (-NONE- *T*-1)) (VP (VV 来))) (DEC 的))) (PU “) (NP (NN 人)) (PU ”)) )",
        REFERENCE,
        "的 COMP 来, 人 RELATIVE 的, 来 SBJ*ldd* 人, 0 ROOT 人",
    );
    // Two relative clauses, each with its own trace; no WHNP and no 的.
    check(
        "( (NP (CP (WHNP-1 (-NONE- *OP*)) (CP (IP (NP-SBJ (-NONE- *T*-1)) (VP (VV 来))) (DEC 的))) (CP (WHNP-2 (-NONE- *OP*)) (IP (NP-SBJ (-NONE- *T*-2)) (VP (VA 新)))) (NP (NN 人))) )",
        REFERENCE,
        "的 COMP 来, 人 RELATIVE 的, 来 SBJ*ldd* 人, 人 RELATIVE 新, 新 SBJ*ldd* 人, 0 ROOT 人",
    );
}

#[test]
fn ba_and_bei() {
    let marked = |tag: &str, object: &str| {
        format!(
            "( (IP (NP-SBJ-1 (PN 他)) (VP ({tag} 把) (IP-OBJ (NP-SBJ (NN 书)) (VP (VV 放) (NP-OBJ (-NONE- {object}))))))  )"
        )
    };
    check(&marked("BA", "*pro*"), REFERENCE, "把 SBJ 他, 放 SBJ*ba 书, 把 COMP 放, 0 ROOT 把");
    check(&marked("LB", "*-1"), REFERENCE, "把 SBJ 他, 放 SBJ*bei 书, 把 COMP 放, 放 OBJ*ldd* 他, 0 ROOT 把");
    // With short bei the trace's label comes later than the subject's, and one label is kept.
    let short = "( (IP (NP-SBJ-1 (NN 书)) (VP (SB 被) (VP (VV 读) (NP-OBJ (-NONE- *-1))))) )";
    check(short, REFERENCE, "读 AUX 被, 读 OBJ*ldd* 书, 0 ROOT 读");
    check(short, REFINED, "读 AUX 被, 读 SBJbei 书, 读 OBJ*ldd* 书, 0 ROOT 读");
    let without = "( (IP (NP-SBJ (NN 书)) (VP (SB 被) (VP (VV 读)))) )";
    check(without, REFERENCE, "读 AUX 被, 读 SBJbei 书, 0 ROOT 读");
    // A trace of a trace.
    let relative = "( (NP (CP (WHNP-1 (-NONE- *OP*)) (CP (IP (NP-SBJ-2 (-NONE- *T*-1)) (VP (SB 被) (VP (VV 读) (NP-OBJ (-NONE- *-2))))) (DEC 的))) (NP (NN 书))) )";
    check(relative, REFERENCE, "读 AUX 被, 读 SBJbei*ldd* 书, 的 COMP 读, 书 RELATIVE 的, 0 ROOT 书");
    check(
        relative,
        REFINED,
        "读 AUX 被, 读 SBJbei*ldd* 书, 读 OBJ*ldd* 书, 的 COMP 读, 书 RELATIVE 的, 0 ROOT 书",
    );
}

#[test]
fn other_traces() {
    check(
        "( (IP (NP-TPC-1 (NN 书)) (NP-SBJ (PN 我)) (VP (VV 读) (NP-OBJ (-NONE- *T*-1)))) )",
        REFERENCE,
        "读 OBJ*ldd* 书, 读 SBJ 我, 0 ROOT 读",
    );
    check(
        "( (IP (NP-TPC-1 (NN 书)) (NP-SBJ (PN 我)) (VP (VV 读) (NP-OBJ (-NONE- *T*-1)))) )",
        REFINED,
        "读 TPC 书, 读 OBJ*ldd* 书, 读 SBJ 我, 0 ROOT 读",
    );
    check(
        "( (IP (NP-SBJ (PN 我)) (VP (VP (VV 买) (NP-OBJ (-NONE- *RNR*-1))) (CC 和) (VP (VV 读) (NP-OBJ-1 (NN 书))))) )",
        REFERENCE,
        "买 SBJ 我, 读 SBJ 我, 买 OBJ*ldd* 书, 读 OBJ 书, 0 ROOT 买, 0 ROOT 读",
    );
}

#[test]
fn topic_chains_of_the_refined_style() {
    let chain = "( (IP (IP (NP-SBJ (PN 他)) (VP (VV 来))) (PU ，) (IP (NP-SBJ (-NONE- *pro*)) (VP (VV 坐))) (PU ，) (IP (NP-SBJ (-NONE- *pro*)) (VP (VV 说))) (PU 。)) )";
    check(chain, REFERENCE, "来 SBJ 他, 0 ROOT 来, 0 ROOT 坐, 0 ROOT 说");
    let refined = arcs(chain, REFINED);
    assert!(refined.contains(&"坐 SBJ*ldd* 他".to_owned()) && refined.len() == 6, "{refined:?}");
}

#[test]
fn surface_trees_have_one_head_for_each_word() {
    let mut sentence = read(PUDONG).remove(0);
    let conversion = convert_sentence(&mut sentence, &REFERENCE, true).unwrap();
    assert_eq!(conversion.surface.len(), sentence.len());
    let heads: Vec<_> = sentence.tokens.iter().map(|t| (t.head.unwrap().0, t.deprel.as_str())).collect();
    assert_eq!(
        heads,
        [
            (4, "SBJ"),
            (3, "COMP"),
            (4, "TMP"),
            (0, "ROOT"),
            (4, "CJT"),
            (4, "PRT"),
            (10, "COMP"),
            (9, "NMOD"),
            (7, "OBJ"),
            (12, "RELATIVE"),
            (12, "NMOD"),
            (4, "OBJ")
        ]
    );
}

#[test]
fn a_tree_without_a_head_is_left_without_arcs() {
    for tree in ["( (FRAG (PU 。)) )", "( (NP (-NONE- *pro*)) )", "( (ADVP (CC 和)) )", "( (PU 。) )"] {
        let phrase = read(tree).remove(0).phrase.unwrap();
        let conversion = convert(&phrase, &REFERENCE);
        assert!(conversion.is_headless() && conversion.graph.is_empty(), "{tree}");
    }
}

#[test]
fn several_trees_in_the_outer_brackets_and_none() {
    check("( (NP (NN 甲)) (PU ，) (NP (NN 乙)) )", REFERENCE, "0 ROOT 甲, 0 ROOT 乙");
    check("(IP (NP-SBJ (PN 他)) (VP (VV 来)))", REFERENCE, "来 SBJ 他, 0 ROOT 来");
}
