;; Tool calls: arguments, answers, failures, the cache.

;; Arguments
(tool/echo {:a 1}) ;=> {"a" 1}
(tool/echo :a 1 :b 2) ;=> {"a" 1 "b" 2}
(tool/echo) ;=> {}
(tool/echo {}) ;=> {}
(tool/echo {:user-id 7}) ;=> {"user_id" 7}
(tool/echo {:deep {:two-words [{:x-y 1}]}}) ;=> {"deep" {"two_words" [{"x_y" 1}]}}
(tool/echo {"text-key" 1}) ;=> {"text_key" 1}
(tool/echo {:k :value}) ;=> {"k" "value"}
(tool/echo {:v [1 2.5 nil true "s"]}) ;=> {"v" [1 2.5 nil true "s"]}
(tool/echo {:tags #{"a"}}) ;=> {"tags" ["a"]}
(tool/echo {:on (LocalDate/parse "2031-05-04")}) ;=> {"on" "2031-05-04"}
(tool/echo {1 "one"}) ;=> {"1" "one"}
(tool/echo {:f inc}) ;!! invalid_tool_args
(tool/echo {:re #"a"}) ;!! invalid_tool_args
(tool/echo {:n ##Inf}) ;!! invalid_tool_args
(tool/echo {:n ##NaN}) ;!! invalid_tool_args
(tool/echo {:n 9007199254740993}) ;!! invalid_tool_args
(tool/echo 5) ;!! invalid_tool_args
(tool/echo "text") ;!! invalid_tool_args
(tool/echo [1 2]) ;!! invalid_tool_args
(tool/echo :a) ;!! invalid_tool_args
(tool/echo {:a 1} {:b 2}) ;!! invalid_tool_args
(tool/echo {:a (inc nil)}) ;!! type_error
(tool/echo (merge {:a 1} {:b 2})) ;=> {"a" 1 "b" 2}
(let [args {:q "pen"}] (tool/echo args)) ;=> {"q" "pen"}
(-> {:q "pen"} tool/echo :q) ;=> "pen"
(-> {:q "pen"} (tool/echo) (get "q")) ;=> "pen"
(tool/Echo {}) ;!! unknown_tool
(tool/echo_ {}) ;!! unknown_tool
tool/echo ;!! invalid_form
(apply tool/echo [{}]) ;!! invalid_form

;; Answers
(:left (tool/stock {:sku "pen"})) ;=> 4
(get (tool/stock {:sku "pen"}) "left") ;=> 4
(let [{:keys [sku left]} (tool/stock {:sku "lamp"})] [sku left]) ;=> ["lamp" 7]
(map #(:left (tool/stock {:sku %})) ["pen" "desk"]) ;=> [4 0]
(into {} (map (fn [s] [s (:left (tool/stock {:sku s}))]) ["pen" "lamp"])) ;=> {"lamp" 7 "pen" 4}
(map :n [(tool/ticket) (tool/ticket) (tool/ticket)]) ;=> [1 2 3]
(let [t (tool/ticket)] [t t]) ;=> [{"n" 1} {"n" 1}]
(if false (tool/ticket) :none) ;=> :none
[(or nil (:n (tool/ticket))) (or 1 (:n (tool/ticket))) (:n (tool/ticket))] ;=> [1 1 2]
(reduce (fn [acc _] (+ acc (:n (tool/ticket)))) 0 (range 4)) ;=> 10
(sort-by (fn [s] (:left (tool/stock {:sku s}))) ["lamp" "desk" "pen"]) ;=> ["desk" "pen" "lamp"]
(filter (fn [s] (pos? (:left (tool/stock {:sku s})))) ["lamp" "desk" "pen"]) ;=> ["lamp" "pen"]
(for [n [1 2 3]] (:next (tool/page {:n n}))) ;=> [2 3 nil]
(defn left [sku] (:left (tool/stock {:sku sku}))) (+ (left "pen") (left "lamp")) ;=> 11
(pmap (fn [s] (:left (tool/stock {:sku s}))) ["pen" "desk" "lamp"]) ;=> [4 0 7]
(pcalls #(:left (tool/stock {:sku "pen"})) #(:ids (tool/page {:n 3}))) ;=> [4 [105]]

;; Failures
(tool/stock {:sku "chair"}) ;!! unknown_sku
(do (println "asked") (tool/stock {:sku "chair"}))
;>> asked
;!! unknown_sku
(map (fn [s] (tool/stock {:sku s})) ["pen" "chair"]) ;!! unknown_sku
(pmap (fn [s] (tool/stock {:sku s})) ["pen" "chair"]) ;!! pmap_error
(tool-try (tool/stock {:sku "pen"})) ;=> {:ok {"left" 4 "sku" "pen"}}
(:error (tool-try (tool/stock {:sku "chair"}))) ;=> {:code "unknown_sku" :message "no such sku: chair" :reason "tool_error" :retryable? false :tool "stock"}
(:retryable? (:error (tool-try (tool/flaky {:id "x" :fails 1})))) ;=> true
(:ok (tool-try (tool/stock {:sku "chair"}))) ;=> nil
(contains? (tool-try (tool/stock {:sku "pen"})) :error) ;=> false
(let [{:keys [ok error]} (tool-try (tool/refund {:order 1 :amount 101}))] [ok (:code error)]) ;=> [nil "too_much"]
(if-let [e (:error (tool-try (tool/stock {:sku "chair"})))] (:message e) :fine) ;=> "no such sku: chair"
(get-in (tool-try (tool/stock {:sku "chair"})) [:error :tool]) ;=> "stock"
(tool-try (+ 1 2)) ;!! invalid_form
(tool-try) ;!! invalid_arity
(tool-try (tool/echo {:f inc})) ;!! invalid_tool_args
(tool-try (tool/nowhere {})) ;!! unknown_tool
(tool-try (tool/echo {:n (inc nil)})) ;!! type_error
(pmap (fn [s] (contains? (tool-try (tool/stock {:sku s})) :ok)) ["pen" "chair"]) ;=> [true false]
(map #(:left (:ok (tool-try (tool/stock {:sku %})))) ["pen" "chair" "lamp"]) ;=> [4 nil 7]
(some (fn [s] (:ok (tool-try (tool/stock {:sku s})))) ["chair" "lamp" "pen"]) ;=> {"left" 7 "sku" "lamp"}

;; The cache
[(:call (tool/rate {:from "EUR"})) (:call (tool/rate {:from "EUR"})) (:call (tool/rate {:from "USD"}))] ;=> [1 1 2]
[(:call (tool/rate {:from "EUR" :to "USD"})) (:call (tool/rate {:to "USD" :from "EUR"}))] ;=> [1 1]
[(:call (tool/rate :from "EUR")) (:call (tool/rate {"from" "EUR"}))] ;=> [1 1]
(map (fn [_] (:call (tool/rate {:from "EUR"}))) (range 3)) ;=> [1 1 1]
(* 200 (:rate (tool/rate {:from "EUR"}))) ;=> 300.0

;; budget and tool-search outside of an agent
(budget/remaining) ;=> {}
budget/remaining ;=> {}
(:turns (budget/remaining)) ;=> nil
(budget/remaining 1) ;!! invalid_arity
(tool-search "stock") ;=> []
(tool-search 5) ;!! type_error
(tool-search "stock" 0) ;!! type_error
